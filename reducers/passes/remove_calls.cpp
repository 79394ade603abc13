#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "reducers/pass_table.h"

namespace minrepro {
namespace {

/// Takes the calls [begin, end) away. A result that later calls need becomes the argument that it was written into, where the call was
/// in-place, and else a leaf of the same shape.
std::optional<Program> without_calls(const Program& program, std::size_t begin, std::size_t end, const PassContext& context) {
  Program result = program;
  std::map<int, int> stands_for;
  std::set<int> orphans;
  for (std::size_t i = begin; i < end; ++i) {
    const Call& call = program.calls[i];
    const Schema* schema = context.catalog.find(call.op);
    for (std::size_t k = 0; k < call.results.size(); ++k) {
      const int id = call.results[k];
      if (id < 0) continue;
      const Value* source = nullptr;
      if (schema && k < schema->returns.size() && schema->returns.size() == call.results.size() && schema->returns[k].mutated)
        for (const SchemaArgument& argument : schema->arguments)
          if (argument.mutated && argument.alias == schema->returns[k].alias) source = call.find(argument.name);
      if (const auto* ref = source ? source->get_if<TensorRef>() : nullptr) stands_for[id] = ref->id;
      else orphans.insert(id);
    }
  }
  result.calls.erase(result.calls.begin() + static_cast<std::ptrdiff_t>(begin), result.calls.begin() + static_cast<std::ptrdiff_t>(end));
  std::set<int> needed;
  for (std::size_t i = begin; i < result.calls.size(); ++i)
    for (Argument& arg : result.calls[i].args)
      for_each_tensor(arg.value, [&](int& id) {
        for (auto at = stands_for.find(id); at != stands_for.end(); at = stands_for.find(id)) id = at->second;
        if (orphans.contains(id)) needed.insert(id);
      });
  for (const int id : needed) {
    const auto meta = context.result_metas.find(id);
    if (meta == context.result_metas.end() || meta->second.layout != "strided") return std::nullopt;
    Leaf leaf;
    leaf.id = id;
    leaf.meta = meta->second;
    if (is_floating(leaf.meta.dtype)) leaf.fill = RandomFill{42};
    result.leaves.push_back(std::move(leaf));
  }
  drop_unused_leaves(result);
  return result;
}

}  // namespace

std::vector<Edit> remove_calls(const Program& program, const PassContext& context) {
  std::vector<Edit> edits;
  const std::size_t n = program.calls.size();
  if (n < 2) return edits;
  for (std::size_t chunk = n / 2; chunk >= 1; chunk /= 2)
    for (std::size_t end = n; end > 0; end = end > chunk ? end - chunk : 0) {   // from the back: what follows the failing call goes first
      const std::size_t begin = end > chunk ? end - chunk : 0;
      if (begin == 0 && end == n) continue;
      edits.push_back({fmt::format("without calls {} to {}", begin, end - 1), static_cast<int64_t>(chunk),
                       [begin, end, &context](const Program& p) -> std::optional<Program> {
                         if (end > p.calls.size()) return std::nullopt;
                         return without_calls(p, begin, end, context);
                       }});
    }
  return edits;
}

}  // namespace minrepro
