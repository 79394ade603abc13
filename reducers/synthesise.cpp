#include "reducers/synthesise.h"

#include <limits>

#include "reducers/program_call_view.h"

namespace minrepro {
namespace {
constexpr int64_t kMostElements = int64_t{1} << 27;   ///< their values are written out
}

std::optional<Program> with_violation(const Program& program, const AssertRule& rule, const PassContext& context) {
  if (program.calls.empty()) return std::nullopt;
  const Call& call = program.calls.back();
  for (const CheckedTensor& checked : checked_tensors(call)) {
    if (checked.rule != &rule) continue;
    Program result = program;
    Leaf* leaf = result.find_leaf(checked.id);
    if (!leaf || leaf->view || !leaf->components.empty() || numel(leaf->meta.sizes) == 0 || numel(leaf->meta.sizes) > kMostElements) continue;
    const auto bounds = bounds_of(rule, ProgramCallView(program, call, context), checked.list_position);
    if (rule.domain == Domain::kIndex && !bounds) continue;
    // A row of zeros is what all kernels that look at rows refuse; each has a check of its own for what else can be wrong with an element.
    const double good = rule.domain == Domain::kWeights ? 0 : valid_value(rule, bounds).value_or(0);
    const auto size = static_cast<std::size_t>(size_of(leaf->meta.dtype));
    auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(numel(leaf->meta.sizes)) * size);
    for (std::size_t at = 0; at < bytes->size(); at += size) write_real(leaf->meta.dtype, good, bytes->data() + at);
    if (bounds) write_integer(leaf->meta.dtype, bounds->bound, bytes->data());
    else if (rule.domain == Domain::kProbability) write_real(leaf->meta.dtype, 2, bytes->data());
    else if (rule.domain != Domain::kWeights) write_real(leaf->meta.dtype, -1, bytes->data());
    leaf->fill = ValuesFill{std::move(bytes)};
    return result;
  }
  return std::nullopt;
}

}  // namespace minrepro
