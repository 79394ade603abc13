#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "reducers/pass_table.h"
#include "reducers/program_call_view.h"
#include "reducers/resize.h"

namespace minrepro {
namespace {

constexpr int64_t kMostChunks = 32;     ///< of one size; finer pieces of a long dimension come after the coarse ones were taken

/// Dimensions of one size, and the integers that are that size too: they most likely mean the same thing and shrink together.
struct Tied {
  int64_t extent = 0;
  std::vector<LeafDimension> dimensions;
  std::vector<IntegerPlace> integers;
  int64_t keep = 0;                     ///< the position that matters: that of an offending element, else 0
};

/// Names whose integers count dimensions or name values rather than sizes.
bool is_no_size(const std::string& argument) {
  return argument.find("dim") != std::string::npos || argument == "ignore_index" || argument == "padding_idx" || argument == "reduction" || argument == "storage_offset";
}

void collect_integers(const Program& program, std::map<int64_t, Tied>& groups) {
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    for (const Argument& arg : program.calls[i].args) {
      if (is_no_size(arg.name)) continue;
      const auto add = [&](const Value& value, int position) {
        const auto* integer = value.get_if<int64_t>();
        if (!integer) return;
        if (const auto group = groups.find(*integer); group != groups.end())
          group->second.integers.push_back({static_cast<int>(i), arg.name, position});
      };
      add(arg.value, -1);
      if (const auto* list = arg.value.get_if<Value::List>())
        for (std::size_t k = 0; k < list->size(); ++k) add((*list)[k], static_cast<int>(k));
    }
}

using Offending = std::map<int, std::vector<int64_t>>;   ///< where the first offending element of a leaf is

Offending offending_of(const Program& program, const PassContext& context) {
  Offending offending;
  for (const OffendingElement& element : offending_elements(program, context)) offending.emplace(element.checked.id, element.index);
  return offending;
}

/// The position along a dimension that matters: the offending element's, else 0. A tensor that is judged as a whole has no offending element.
int64_t wanted_position(const Offending& offending, const LeafDimension& at) {
  const auto found = offending.find(at.leaf);
  const auto d = static_cast<std::size_t>(at.dimension);
  return found != offending.end() && d < found->second.size() ? found->second[d] : 0;
}

std::vector<Tied> tied_groups(const Program& program, const PassContext& context) {
  const Offending offending = offending_of(program, context);
  std::map<int64_t, Tied> groups;
  for (const Leaf& leaf : program.leaves) {
    if (!stands_alone(program, leaf)) continue;
    for (std::size_t d = 0; d < leaf.meta.sizes.size(); ++d) {
      if (leaf.meta.sizes[d] < 2) continue;
      Tied& group = groups[leaf.meta.sizes[d]];
      group.extent = leaf.meta.sizes[d];
      group.dimensions.push_back({leaf.id, static_cast<int>(d)});
      if (group.keep == 0) group.keep = wanted_position(offending, group.dimensions.back());
    }
  }
  collect_integers(program, groups);
  std::vector<Tied> ordered;
  for (auto& [extent, group] : groups) ordered.push_back(std::move(group));
  // Batch dimensions first: they are the ones that most leaves have in front.
  const auto front = [](const Tied& g) { return std::count_if(g.dimensions.begin(), g.dimensions.end(), [](const LeafDimension& d) { return d.dimension == 0; }); };
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Tied& a, const Tied& b) { return front(a) > front(b); });
  return ordered;
}

std::vector<int64_t> positions(int64_t begin, int64_t end) {
  std::vector<int64_t> list(static_cast<std::size_t>(end - begin));
  std::iota(list.begin(), list.end(), begin);
  return list;
}

/// What to keep, best first: the one position that matters; each half; all but a piece, ever smaller.
std::vector<std::vector<int64_t>> keeps(int64_t extent, int64_t wanted) {
  std::vector<std::vector<int64_t>> result{{wanted}};
  if (extent == 2) {
    result.push_back({1 - wanted});
    return result;
  }
  for (int64_t chunk = extent - extent / 2; chunk >= 1 && (extent + chunk - 1) / chunk <= kMostChunks; chunk /= 2)
    for (int64_t begin = (extent - 1) / chunk * chunk; begin >= 0; begin -= chunk) {
      std::vector<int64_t> rest = positions(0, begin);
      const std::vector<int64_t> tail = positions(std::min(begin + chunk, extent), extent);
      rest.insert(rest.end(), tail.begin(), tail.end());
      if (!rest.empty()) result.push_back(std::move(rest));
    }
  return result;
}

void add_edits(std::vector<Edit>& edits, const Tied& group, const PassContext& context) {
  std::string where;
  for (const LeafDimension& d : group.dimensions) where += fmt::format("{}{}:{}", where.empty() ? "" : ", ", d.leaf, d.dimension);
  for (std::vector<int64_t>& keep : keeps(group.extent, group.keep)) {
    const auto left = static_cast<int64_t>(keep.size());
    edits.push_back({fmt::format("dimensions {} from {} to {}", where, group.extent, left),
                     (group.extent - left) * static_cast<int64_t>(group.dimensions.size()),
                     [group, keep = std::move(keep), &context](const Program& p) { return keep_positions(p, group.dimensions, group.integers, keep, context); }});
  }
}

/// Everything to one position at once: most failures need no more.
std::optional<Program> leap(const Program& program, const std::vector<Tied>& groups, const PassContext& context) {
  std::optional<Program> result = program;
  for (const Tied& group : groups) {
    if (!result) break;
    const int64_t keep[] = {group.keep};
    result = keep_positions(*result, group.dimensions, group.integers, keep, context);
  }
  return result;
}

}  // namespace

std::vector<Edit> shrink_dimensions(const Program& program, const PassContext& context) {
  const std::vector<Tied> groups = tied_groups(program, context);
  std::vector<Edit> edits;
  std::vector<Tied> without_integers = groups;
  for (Tied& group : without_integers) group.integers.clear();
  if (groups.size() > 1)
    for (const std::vector<Tied>& all : {groups, without_integers})
      edits.push_back({"every dimension to 1", INT64_MAX / 2, [all, &context](const Program& p) { return leap(p, all, context); }});
  for (const Tied& group : groups) {
    add_edits(edits, group, context);
    if (group.integers.empty()) continue;
    Tied without = group;
    without.integers.clear();
    add_edits(edits, without, context);
  }
  const Offending offending = offending_of(program, context);
  for (const Tied& group : groups) {
    if (group.dimensions.size() < 2) continue;
    for (const LeafDimension& dimension : group.dimensions) add_edits(edits, {group.extent, {dimension}, {}, wanted_position(offending, dimension)}, context);
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.size > b.size; });
  return edits;
}

}  // namespace minrepro
