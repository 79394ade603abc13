#include <algorithm>

#include <fmt/core.h>

#include "reducers/pass_table.h"
#include "reducers/resize.h"

namespace minrepro {
namespace {

/// Takes dimension `dimension` (of size 1) out of the leaves; integer arguments named "dim" that count from the front and lie behind it follow.
std::optional<Program> without_dimension(const Program& program, const std::vector<int>& leaves, std::size_t dimension) {
  Program result = program;
  for (const int id : leaves) {
    Leaf* leaf = result.find_leaf(id);
    if (!leaf || leaf->meta.sizes.size() < 2 || dimension >= leaf->meta.sizes.size() || leaf->meta.sizes[dimension] != 1) return std::nullopt;
    leaf->meta.sizes.erase(leaf->meta.sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
    leaf->meta.strides.erase(leaf->meta.strides.begin() + static_cast<std::ptrdiff_t>(dimension));
  }
  for (Call& call : result.calls) {
    const bool touched = std::any_of(call.args.begin(), call.args.end(), [&](const Argument& arg) {
      const std::vector<int> used = tensors_in(arg.value);
      return std::any_of(used.begin(), used.end(), [&](int id) { return std::find(leaves.begin(), leaves.end(), id) != leaves.end(); });
    });
    if (!touched) continue;
    for (Argument& arg : call.args)
      if (auto* dim = arg.name == "dim" ? arg.value.get_if<int64_t>() : nullptr; dim && *dim > static_cast<int64_t>(dimension)) --*dim;
  }
  return result;
}

}  // namespace

std::vector<Edit> reduce_rank(const Program& program, const PassContext&) {
  std::vector<Edit> edits;
  std::size_t most = 0;
  for (const Leaf& leaf : program.leaves) most = std::max(most, leaf.meta.sizes.size());
  const auto candidates = [&](std::size_t dimension, std::size_t rank) {
    std::vector<int> leaves;
    for (const Leaf& leaf : program.leaves) {
      const auto& sizes = leaf.meta.sizes;
      // A tensor without dimensions is no easier to read than one with one: people write torch::tensor({7}).
      if (stands_alone(program, leaf) && sizes.size() > 1 && dimension < sizes.size() && (rank == 0 || sizes.size() == rank) && sizes[dimension] == 1) leaves.push_back(leaf.id);
    }
    return leaves;
  };
  const auto add = [&](std::size_t dimension, const std::vector<int>& leaves) {
    edits.push_back({fmt::format("{} tensors without dimension {}", leaves.size(), dimension), static_cast<int64_t>(leaves.size()),
                     [leaves, dimension](const Program& p) { return without_dimension(p, leaves, dimension); }});
  };
  for (std::size_t d = most; d-- > 0;) {
    const std::vector<int> all = candidates(d, 0);
    if (all.size() > 1) add(d, all);
    for (std::size_t rank = d + 1; rank <= most; ++rank)
      if (const std::vector<int> same = candidates(d, rank); same.size() > 1 && same != all) add(d, same);
    for (const int leaf : all) add(d, {leaf});
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.size > b.size; });
  return edits;
}

}  // namespace minrepro
