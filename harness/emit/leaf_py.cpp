#include "harness/emit/leaf_py.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/emit/leaf_plan.h"
#include "harness/emit/literals.h"
#include "harness/emit/value_py.h"
#include "harness/emit/wrap.h"

namespace minrepro::emit {
namespace {

std::string brackets(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t number : numbers) texts.push_back(fmt::format("{}", number));
  return "[" + joined(texts) + "]";
}

/// The elements as lists in lists.
std::string nested(const std::vector<std::string>& texts, const std::vector<int64_t>& sizes, std::size_t dim, std::size_t& next) {
  if (dim == sizes.size()) return texts[next++];
  std::vector<std::string> parts;
  for (int64_t i = 0; i < sizes[dim]; ++i) parts.push_back(nested(texts, sizes, dim + 1, next));
  return "[" + joined(parts) + "]";
}

class LeafWriter {
 public:
  LeafWriter(const Leaf& leaf, const Program& program, const Spellings& spellings)
      : leaf_(leaf), dtype_(leaf.meta.dtype), spellings_(spellings), name_(spellings.at(leaf.id)) {
    const std::string device = device_py(leaf.device.value_or(program.device), program);
    if (device != "\"cpu\"") device_ = device;
  }

  std::string text() {
    std::string expression;
    if (!leaf_.components.empty()) expression = assembled();
    else if (leaf_.view) expression = view();
    else expression = own();
    return before_ + wrapped(fmt::format("{} = {}", name_, expression), 0, 1);
  }

 private:
  std::string assembled() const {
    std::vector<std::string> parts;
    for (const int id : leaf_.components) parts.push_back(spellings_.at(id));
    const bool coo = leaf_.meta.layout == "sparse";
    const std::string& values = parts.back();
    return fmt::format("torch.ops.aten.{}.default({}, {}, dtype={}.dtype, layout=torch.{}, device={}.device)",
                       coo ? "_sparse_coo_tensor_unsafe" : "_sparse_compressed_tensor_unsafe", joined(parts), brackets(leaf_.meta.sizes), values,
                       coo ? "sparse_coo" : leaf_.meta.layout, values);
  }

  std::string view() const {
    return fmt::format("{}.as_strided({}, {}, {})", spellings_.at(leaf_.view->base), brackets(leaf_.meta.sizes), brackets(leaf_.meta.strides),
                       leaf_.view->storage_offset);
  }

  std::string own() {
    const LeafPlan plan = plan_leaf(leaf_);
    // Operators turn a Python number into a tensor that takes no part in type promotion.
    if (leaf_.is_wrapped_number && std::holds_alternative<ConstantFill>(leaf_.fill)) return element_texts(dtype_, plan.constant, Language::kPython).front();
    if (leaf_.is_wrapped_number && !plan.elements.empty()) return element_texts(dtype_, plan.elements, Language::kPython).front();
    if (const auto* random = std::get_if<RandomFill>(&leaf_.fill); random != nullptr && numel(plan.sizes) > 0) return random_elements(plan, random->seed);
    if (numel(plan.sizes) == 0) return is_quantized(dtype_) ? converted_and_moved(plain_of(dtype_), fmt::format("torch.empty({}, dtype={})", brackets(plan.sizes), py_dtype(plain_of(dtype_)))) + shaped(plan)
                                                            : fmt::format("torch.empty({}{})", brackets(plan.sizes), options(dtype_, true)) + shaped(plan);
    return (plan.constant.empty() ? literal(plan) : constant(plan)) + shaped(plan);
  }

  std::string shaped(const LeafPlan& plan) const {
    switch (plan.shaping) {
      case Shaping::kNone: return "";
      case Shaping::kTranspose: return ".t()";
      case Shaping::kPermute: return fmt::format(".permute({})", brackets(plan.order));
      case Shaping::kExpand: return fmt::format(".expand({})", brackets(leaf_.meta.sizes));
      case Shaping::kStrided: return fmt::format(".as_strided({}, {})", brackets(leaf_.meta.sizes), brackets(leaf_.meta.strides));
    }
    return "";
  }

  std::string options(DType dtype, bool on_device) const {
    std::string text;
    if (dtype != DType::kFloat32) text += fmt::format(", dtype={}", py_dtype(dtype));
    if (on_device && !device_.empty()) text += fmt::format(", device={}", device_);
    return text;
  }

  std::string converted_and_moved(DType from, std::string expression) const {
    if (is_quantized(dtype_)) expression = fmt::format("torch._make_per_tensor_quantized_tensor({}, 1.0, 0)", expression);
    else if (from != dtype_) expression += fmt::format(".to({})", py_dtype(dtype_));
    return device_.empty() ? expression : fmt::format("{}.to({})", expression, device_);
  }

  std::string constant(const LeafPlan& plan) const {
    const std::string sizes = brackets(plan.sizes);
    const DType carrier = dtype_ == DType::kUInt64 ? dtype_ : carrier_of(dtype_);
    const bool zero = std::all_of(plan.constant.begin(), plan.constant.end(), [](std::byte b) { return b == std::byte{0}; });
    const std::string value = element_texts(dtype_, plan.constant, Language::kPython).front();
    const bool one = value == "1" || value == "1.0" || value == "True";
    const bool direct = carrier == dtype_ || (zero && !is_quantized(dtype_));
    const DType made_as = direct ? dtype_ : carrier;
    std::string expression = zero  ? fmt::format("torch.zeros({}", sizes)
                             : one ? fmt::format("torch.ones({}", sizes)
                                   : fmt::format("torch.full({}, {}", sizes, value);
    expression += options(made_as, direct) + ")";
    return direct ? expression : converted_and_moved(made_as, expression);
  }

  std::string literal(const LeafPlan& plan) const {
    const DType carrier = dtype_ == DType::kUInt64 ? dtype_ : carrier_of(dtype_);
    std::size_t next = 0;
    const std::string list = nested(element_texts(dtype_, plan.elements, Language::kPython), plan.sizes, 0, next);
    if (carrier == dtype_) return fmt::format("torch.tensor({}{})", list, options(dtype_, true));
    return converted_and_moved(carrier, fmt::format("torch.tensor({}{})", list, options(carrier, false)));
  }

  std::string random_elements(const LeafPlan& plan, uint64_t seed) {
    before_ = fmt::format("torch.manual_seed({})\n", seed);
    const DType drawn_as = is_integral(dtype_) ? DType::kInt64 : carrier_of(dtype_);
    const std::string sizes = brackets(leaf_.meta.sizes);
    std::string elements = is_integral(dtype_) ? fmt::format("torch.randint(2, {})", sizes) : fmt::format("torch.randn({}{})", sizes, options(drawn_as, false));
    if (is_quantized(dtype_)) elements += fmt::format(".to({})", py_dtype(plain_of(dtype_)));
    if (plan.shaping == Shaping::kNone) return converted_and_moved(drawn_as, elements);
    if (plan.shaping == Shaping::kExpand) {
      for (std::size_t i = 0; i < plan.sizes.size(); ++i)
        if (plan.sizes[i] != leaf_.meta.sizes[i]) elements += fmt::format(".narrow({}, {}, 1)", i, leaf_.meta.sizes[i] - 1);
      return converted_and_moved(drawn_as, elements + ".contiguous()") + shaped(plan);
    }
    const std::string storage = converted_and_moved(plain_of(dtype_), fmt::format("torch.zeros({}{})", brackets(plan.sizes), options(plain_of(dtype_), false)));
    return fmt::format("{}{}.copy_({})", storage, shaped(plan), converted_and_moved(drawn_as, elements));
  }

  const Leaf& leaf_;
  DType dtype_;
  const Spellings& spellings_;
  std::string name_;
  std::string device_;     ///< empty for the host
  std::string before_;
};

}  // namespace

std::string leaf_py(const Leaf& leaf, const Program& program, const Spellings& spellings) { return LeafWriter(leaf, program, spellings).text(); }

}  // namespace minrepro::emit
