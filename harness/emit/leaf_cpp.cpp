#include "harness/emit/leaf_cpp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/emit/leaf_plan.h"
#include "harness/emit/literals.h"
#include "harness/emit/wrap.h"

namespace minrepro::emit {
namespace {

/// More literals than this go to a static array: a braced list of torch::tensor costs the compiler a lot for each.
constexpr std::size_t kMostBraced = 256;
/// Tables of more columns are hard to read as nested braces.
constexpr int64_t kMostColumns = 16;

std::string braces(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t number : numbers) texts.push_back(cpp_integer(number));
  return "{" + joined(texts) + "}";
}

class LeafWriter {
 public:
  LeafWriter(const Leaf& leaf, const Program& program, const Spellings& spellings)
      : leaf_(leaf), dtype_(leaf.meta.dtype), spellings_(spellings), name_(spellings.at(leaf.id)) {
    const std::string device = device_cpp(leaf.device.value_or(program.device), program);
    if (device != "torch::kCPU") device_ = device;
  }

  std::string text() {
    std::string expression;
    if (!leaf_.components.empty()) expression = assembled();
    else if (leaf_.view) expression = view();
    else expression = own();
    std::string text = before_ + wrapped(fmt::format("auto {} = {};", name_, expression), 2);
    if (leaf_.is_wrapped_number)
      text += fmt::format("  {}.unsafeGetTensorImpl()->set_wrapped_number(true);  // a plain number: it takes no part in type promotion\n", name_);
    return text;
  }

 private:
  std::string assembled() const {
    std::vector<std::string> parts;
    for (const int id : leaf_.components) parts.push_back(spellings_.at(id));
    const std::string options = fmt::format("{}.options().layout({})", parts.back(), cpp_layout(leaf_.meta.layout));
    // "unsafe": unchecked, as the failing operator may be given it.
    const char* factory = leaf_.meta.layout == "sparse" ? "_sparse_coo_tensor_unsafe" : "_sparse_compressed_tensor_unsafe";
    return fmt::format("torch::{}({}, {}, {})", factory, joined(parts), braces(leaf_.meta.sizes), options);
  }

  std::string view() const {
    return fmt::format("{}.as_strided({}, {}, {})", spellings_.at(leaf_.view->base), braces(leaf_.meta.sizes), braces(leaf_.meta.strides),
                       leaf_.view->storage_offset);
  }

  std::string own() {
    const LeafPlan plan = plan_leaf(leaf_);
    if (const auto* random = std::get_if<RandomFill>(&leaf_.fill); random != nullptr && numel(plan.sizes) > 0) return random_elements(plan, random->seed);
    std::string made;
    if (numel(plan.sizes) == 0) made = empty(plan);
    else if (!plan.constant.empty()) made = constant(plan);
    else made = literal(plan);
    return made + shaped(plan);
  }

  std::string shaped(const LeafPlan& plan) const {
    switch (plan.shaping) {
      case Shaping::kNone: return "";
      case Shaping::kTranspose: return ".t()";
      case Shaping::kPermute: return fmt::format(".permute({})", braces(plan.order));
      case Shaping::kExpand: return fmt::format(".expand({})", braces(leaf_.meta.sizes));
      case Shaping::kStrided: return fmt::format(".as_strided({}, {})", braces(leaf_.meta.sizes), braces(leaf_.meta.strides));
    }
    return "";
  }

  /// ", torch::dtype(torch::kLong).device(device)", as little of it as is needed.
  std::string options(DType dtype, bool on_device) const {
    const std::string device = on_device ? device_ : "";
    if (dtype == DType::kFloat32) return device.empty() ? "" : ", " + device;
    if (device.empty()) return ", " + cpp_dtype(dtype);
    return fmt::format(", torch::dtype({}).device({})", cpp_dtype(dtype), device);
  }

  std::string moved() const { return device_.empty() ? "" : fmt::format(".to({})", device_); }

  /// From the carrier's type to the leaf's, and to its device.
  std::string converted_and_moved(DType from, std::string expression) const {
    if (is_quantized(dtype_)) return fmt::format("torch::_make_per_tensor_quantized_tensor({}, /*scale=*/1.0, /*zero_point=*/0)", expression) + moved();
    if (dtype_ == DType::kUInt64 && from == DType::kInt64) expression += ".view(torch::kUInt64)";
    else if (from != dtype_) expression += fmt::format(".to({})", cpp_dtype(dtype_));
    return expression + moved();
  }

  std::string empty(const LeafPlan& plan) const {
    if (is_quantized(dtype_)) return converted_and_moved(plain_of(dtype_), fmt::format("torch::empty({}, {})", braces(plan.sizes), cpp_dtype(plain_of(dtype_))));
    return fmt::format("torch::empty({}{})", braces(plan.sizes), options(dtype_, true));
  }

  std::string constant(const LeafPlan& plan) const {
    const std::string sizes = braces(plan.sizes);
    const DType carrier = carrier_of(dtype_);
    const bool zero = std::all_of(plan.constant.begin(), plan.constant.end(), [](std::byte b) { return b == std::byte{0}; });
    const std::string value = element_texts(dtype_, plan.constant, Language::kCpp).front();
    if (plan.sizes.empty() && carrier == dtype_ && device_.empty() && !zero) return scalar(value);
    const bool one = value == "1" || value == "1.0" || value == "true";
    const bool direct = carrier == dtype_ || (zero && !is_quantized(dtype_));
    const DType made_as = direct ? dtype_ : carrier;
    std::string expression = zero  ? fmt::format("torch::zeros({}", sizes)
                             : one ? fmt::format("torch::ones({}", sizes)
                                   : fmt::format("torch::full({}, {}", sizes, value);
    // A C++ integer or bool would otherwise choose the type.
    expression += options(made_as, direct) + ")";
    return direct ? expression : converted_and_moved(made_as, expression);
  }

  std::string scalar(const std::string& value) const {
    return fmt::format("torch::tensor({}{})", value, options(carrier_of(dtype_), false));
  }

  std::string literal(const LeafPlan& plan) {
    const std::vector<std::string> texts = element_texts(dtype_, plan.elements, Language::kCpp);
    const DType carrier = carrier_of(dtype_);
    if (plan.sizes.empty()) return converted_and_moved(carrier, scalar(texts.front()));
    if (texts.size() > kMostBraced) return from_array(plan, texts);
    const bool table = plan.sizes.size() == 2 && plan.sizes[0] > 1 && plan.sizes[1] > 1 && plan.sizes[1] <= kMostColumns;
    std::string list;
    if (table) {
      const auto columns = static_cast<std::size_t>(plan.sizes[1]);
      std::vector<std::string> rows;
      for (std::size_t i = 0; i < texts.size(); i += columns)
        rows.push_back("{" + joined({texts.begin() + static_cast<std::ptrdiff_t>(i), texts.begin() + static_cast<std::ptrdiff_t>(i + columns)}) + "}");
      list = "{" + joined(rows) + "}";
    } else {
      list = "{" + joined(texts) + "}";
    }
    std::string expression = fmt::format("torch::tensor({}{})", list, options(carrier, false));
    if (!table && plan.sizes.size() != 1) expression += fmt::format(".view({})", braces(plan.sizes));
    return converted_and_moved(carrier, expression);
  }

  /// A static array, and a tensor made from it.
  std::string from_array(const LeafPlan& plan, std::vector<std::string> texts) {
    const bool complex = is_complex(dtype_);
    DType type = plain_of(dtype_);
    if (dtype_ == DType::kComplex32 || dtype_ == DType::kComplex64) type = DType::kFloat32;
    else if (dtype_ == DType::kComplex128) type = DType::kFloat64;
    else if (is_floating(dtype_) && dtype_ != DType::kFloat64) type = DType::kFloat32;
    if (complex)  // the two parts, without "c10::complex<double>(…)"
      for (std::string& text : texts) text = text.substr(text.find('(') + 1, text.size() - text.find('(') - 2);
    // An infinite double is no float to an initialiser.
    const bool finite = std::none_of(texts.begin(), texts.end(), [](const std::string& t) { return t.find("inf") != t.npos || t.find("nan") != t.npos; });
    if (type == DType::kFloat32 && !finite) type = DType::kFloat64;
    const bool is_unsigned = type == DType::kUInt64;
    if (is_unsigned)
      for (std::size_t i = 0; i < texts.size(); ++i)
        texts[i] = fmt::format("{}u", static_cast<uint64_t>(read_integer(type, plan.elements.data() + i * static_cast<std::size_t>(size_of(type)))));
    before_ = wrapped(fmt::format("static {} {}_values[] = {{{}}};", c_type(type), name_, joined(texts)), 2);
    std::vector<int64_t> sizes = plan.sizes;
    if (complex) sizes.push_back(2);
    std::string expression = fmt::format("torch::from_blob({}_values, {}, {}).clone()", name_, braces(sizes), cpp_dtype(type));
    DType from = type;
    if (complex) {
      expression = fmt::format("torch::view_as_complex({})", expression);
      from = type == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
    }
    return converted_and_moved(from, expression);
  }

  static const char* c_type(DType dtype) {
    switch (dtype) {
      case DType::kUInt8: return "uint8_t";
      case DType::kInt8: return "int8_t";
      case DType::kInt16: return "int16_t";
      case DType::kInt32: return "int32_t";
      case DType::kInt64: return "int64_t";
      case DType::kUInt16: return "uint16_t";
      case DType::kUInt32: return "uint32_t";
      case DType::kUInt64: return "uint64_t";
      case DType::kBool: return "bool";
      case DType::kFloat64: return "double";
      default: return "float";
    }
  }

  /// Elements in the leaf's logical order, on the host.
  std::string drawn() const {
    const std::string sizes = braces(leaf_.meta.sizes);
    if (is_integral(dtype_)) return fmt::format("torch::randint(2, {}, torch::kLong)", sizes);
    return fmt::format("torch::randn({}{})", sizes, options(carrier_of(dtype_), false));
  }

  std::string random_elements(const LeafPlan& plan, uint64_t seed) {
    before_ = fmt::format("  torch::manual_seed({});\n", cpp_unsigned(seed));
    const DType drawn_as = is_integral(dtype_) ? DType::kInt64 : carrier_of(dtype_);
    std::string elements = drawn();
    if (is_quantized(dtype_)) elements += fmt::format(".to({})", cpp_dtype(plain_of(dtype_)));
    if (plan.shaping == Shaping::kNone) return converted_and_moved(drawn_as, elements);
    if (plan.shaping == Shaping::kExpand) {
      // The last element of each expanded dimension is the one that stays.
      for (std::size_t i = 0; i < plan.sizes.size(); ++i)
        if (plan.sizes[i] != leaf_.meta.sizes[i]) elements += fmt::format(".narrow({}, {}, 1)", i, leaf_.meta.sizes[i] - 1);
      return converted_and_moved(drawn_as, elements + ".contiguous()") + shaped(plan);
    }
    // Elements that no index reaches are zero.
    const std::string storage = converted_and_moved(plain_of(dtype_), fmt::format("torch::zeros({}{})", braces(plan.sizes), options(plain_of(dtype_), false)));
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

std::string device_cpp(const std::string& name, const Program& program) {
  const std::size_t colon = name.find(':');
  const std::string base = name.substr(0, colon);
  if (base == "meta") return "torch::kMeta";
  if (base == "cpu" && program.device != "cpu") return "torch::kCPU";
  if (colon == std::string::npos || name == program.device || program.device == "cpu") return "device";
  return fmt::format("torch::Device(device.type(), {})", name.substr(colon + 1));
}

std::string leaf_cpp(const Leaf& leaf, const Program& program, const Spellings& spellings) { return LeafWriter(leaf, program, spellings).text(); }

}  // namespace minrepro::emit
