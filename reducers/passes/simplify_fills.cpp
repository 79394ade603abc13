#include <algorithm>

#include <fmt/core.h>

#include "reducers/pass_table.h"
#include "reducers/program_call_view.h"

namespace minrepro {
namespace {

std::optional<Program> filled(const Program& program, const std::vector<int>& leaves, double value) {
  Program result = program;
  for (const int id : leaves) {
    Leaf* leaf = result.find_leaf(id);
    if (!leaf) return std::nullopt;
    leaf->fill = ConstantFill{value};
  }
  return result;
}

}  // namespace

std::vector<Edit> simplify_fills(const Program& program, const PassContext& context) {
  std::vector<int> offending;
  for (const OffendingElement& element : offending_elements(program, context)) offending.push_back(element.checked.id);
  std::vector<int> harmless, all;
  for (const Leaf& leaf : program.leaves) {
    if (leaf.view || !leaf.components.empty()) continue;
    if (const auto* constant = std::get_if<ConstantFill>(&leaf.fill); constant && constant->value == 0) continue;
    all.push_back(leaf.id);
    if (std::find(offending.begin(), offending.end(), leaf.id) == offending.end()) harmless.push_back(leaf.id);
  }
  std::vector<Edit> edits;
  if (harmless.size() > 1)
    edits.push_back({"zeros in all tensors that break no rule", static_cast<int64_t>(harmless.size()), [harmless](const Program& p) { return filled(p, harmless, 0); }});
  for (const double value : {0.0, 1.0, 0.5})
    for (const int id : all) {
      if (value == 0.5 && !is_floating(program.find_leaf(id)->meta.dtype)) continue;
      edits.push_back({fmt::format("tensor {} filled with {}", id, value), 1, [id, value](const Program& p) { return filled(p, {id}, value); }});
    }
  return edits;
}

}  // namespace minrepro
