#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reducers/edit.h"

/// Making leaves smaller without making them mean something else.
namespace minrepro {

struct LeafDimension {
  int leaf = -1;
  int dimension = 0;
};

/// An integer in an argument: of call `call`, argument `argument`, at `position` of its list (-1: the argument itself).
struct IntegerPlace {
  int call = -1;
  std::string argument;
  int position = -1;
};

/// Keeps only the positions `keep` (ascending) along each of the dimensions, which all have one size, and sets the integers to the new size. Literal values are
/// picked accordingly; strides keep their order; indices follow the bounds (`follow_bounds`). nullopt if a leaf is gone or a position out of range.
std::optional<Program> keep_positions(const Program& program, std::span<const LeafDimension> dimensions, std::span<const IntegerPlace> integers,
                                      std::span<const int64_t> keep, const PassContext& context);

/// Where the bound of a checked index moved from R to R' between `before` and `after` (the same calls, other sizes): a bad value v >= R becomes R' + (v - R), one
/// below the lowest keeps its distance too, and good ones stay good. Shrinking a table alone would make hundreds of good indices bad.
void follow_bounds(const Program& before, Program& after, const PassContext& context);

/// Strides for `sizes` in the order of memory that the old strides had; expanded dimensions (stride 0) stay expanded.
std::vector<int64_t> strides_like(const TensorMeta& old, const std::vector<int64_t>& sizes);

/// Whether the leaf holds memory of its own that nothing else looks at: no view, no components, no base of a view, no component.
bool stands_alone(const Program& program, const Leaf& leaf);

}  // namespace minrepro
