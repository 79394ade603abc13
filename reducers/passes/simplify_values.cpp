#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "reducers/pass_table.h"
#include "reducers/program_call_view.h"
#include "reducers/shorter_numbers.h"

namespace minrepro {
namespace {

constexpr std::size_t kMostSingleElements = 64;   ///< longer tensors are simplified in pieces only

using Bytes = std::vector<std::byte>;

/// Replaces literal elements [begin, end) of a leaf by what `change` makes of each (it gets the element's position and address).
template <typename Change>
std::optional<Program> changed(const Program& program, int id, std::size_t begin, std::size_t end, Change&& change) {
  Program result = program;
  Leaf* leaf = result.find_leaf(id);
  const auto* values = leaf ? std::get_if<ValuesFill>(&leaf->fill) : nullptr;
  if (!values) return std::nullopt;
  auto bytes = std::make_shared<Bytes>(*values->bytes);
  const auto size = static_cast<std::size_t>(size_of(leaf->meta.dtype));
  if (end * size > bytes->size()) return std::nullopt;
  for (std::size_t i = begin; i < end; ++i) change(leaf->meta.dtype, bytes->data() + i * size);
  leaf->fill = ValuesFill{std::move(bytes)};
  return result;
}

/// Good indices to the lowest good one at or above 0, bad ones to the nearest value that is still bad.
std::optional<Program> to_bounds(const Program& program, int id, const Bounds& bounds) {
  const Leaf* leaf = program.find_leaf(id);
  if (!leaf) return std::nullopt;
  return changed(program, id, 0, static_cast<std::size_t>(numel(leaf->meta.sizes)), [&](DType dtype, std::byte* at) {
    const int64_t value = read_integer(dtype, at);
    if (bounds.ignored && value == *bounds.ignored) return;
    write_integer(dtype, value >= bounds.bound ? bounds.bound : value < bounds.lowest ? bounds.lowest - 1 : 0, at);
  });
}

void add_elements(std::vector<Edit>& edits, const Leaf& leaf, const std::optional<Bounds>& bounds) {
  const auto& bytes = *std::get<ValuesFill>(leaf.fill).bytes;
  const auto size = static_cast<std::size_t>(size_of(leaf.meta.dtype));
  const int id = leaf.id;
  for (std::size_t i = 0; i < bytes.size() / size; ++i) {
    const std::byte* at = bytes.data() + i * size;
    if (is_integral(leaf.meta.dtype)) {
      const int64_t value = read_integer(leaf.meta.dtype, at);
      std::vector<int64_t> targets = shorter_integers(value);
      if (bounds && value > bounds->bound) targets.insert(targets.begin(), bounds->bound);
      if (bounds && value < bounds->lowest - 1) targets.insert(targets.begin(), bounds->lowest - 1);
      for (const int64_t target : targets)
        edits.push_back({fmt::format("tensor {}: element {} from {} to {}", id, i, value, target), 1, [id, i, target](const Program& p) {
                           return changed(p, id, i, i + 1, [target](DType dtype, std::byte* e) { write_integer(dtype, target, e); });
                         }});
    } else if (is_floating(leaf.meta.dtype)) {
      const double value = read_real(leaf.meta.dtype, at);
      for (const double target : shorter_reals(value))
        edits.push_back({fmt::format("tensor {}: element {} from {} to {}", id, i, value, target), 1, [id, i, target](const Program& p) {
                           return changed(p, id, i, i + 1, [target](DType dtype, std::byte* e) { write_real(dtype, target, e); });
                         }});
    }
  }
}

}  // namespace

std::vector<Edit> simplify_values(const Program& program, const PassContext& context) {
  std::map<int, std::optional<Bounds>> offending;
  for (const OffendingElement& element : offending_elements(program, context)) offending.emplace(element.checked.id, element.bounds);
  std::vector<Edit> edits;
  for (const Leaf& leaf : program.leaves) {
    const auto* values = std::get_if<ValuesFill>(&leaf.fill);
    if (!values || !values->bytes || leaf.view || !leaf.components.empty()) continue;
    const int id = leaf.id;
    const auto count = static_cast<std::size_t>(numel(leaf.meta.sizes));
    const auto rule = offending.find(id);
    if (rule != offending.end() && rule->second)
      edits.push_back({fmt::format("tensor {}: indices to their bounds", id), static_cast<int64_t>(count) + 1,
                       [id, bounds = *rule->second](const Program& p) { return to_bounds(p, id, bounds); }});
    for (std::size_t chunk = count / 2; chunk >= 2 && count / chunk <= 32; chunk /= 2)
      for (std::size_t begin = 0; begin < count; begin += chunk) {
        const std::size_t end = std::min(begin + chunk, count);
        edits.push_back({fmt::format("tensor {}: zeros in elements {} to {}", id, begin, end - 1), static_cast<int64_t>(chunk), [id, begin, end](const Program& p) {
                           return changed(p, id, begin, end, [](DType dtype, std::byte* e) { write_real(dtype, 0, e); });
                         }});
      }
    if (count <= kMostSingleElements) add_elements(edits, leaf, rule == offending.end() ? std::nullopt : rule->second);
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.size > b.size; });
  return edits;
}

}  // namespace minrepro
