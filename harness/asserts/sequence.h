#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/asserts/bounds.h"

/// Rules about numbers that have to fit together in a row (the last dimension): offsets, lengths, compressed indices. Parts of evaluate.h.
namespace minrepro::asserts {

/// The first place where a row does not hold.
struct Misfit {
  std::vector<int64_t> index;              ///< of the number that does not fit, in row-major order
  int64_t value = 0;
  int64_t rows = 0;                        ///< rows, or columns of coordinates, that hold a misfit
  std::string text;                        ///< "holds 1 after 3 at [2]; it must not decrease"
};

/// Precondition: `view` has data and is integral; `rule.domain` is one that judges numbers by rows, or coordinates
/// by columns.
/// `measured` is null if the rule has no bound. A view without dimensions is a row of one number. `view` is the part of the
/// checked tensor that starts at `origin`; indices are those of the whole.
/// Source: EmbeddingBag.cu (end >= begin), GroupMMCommon.cuh (delta >= 0, delta % align), SegmentReduce.cu, ValidateCompressedIndicesCommon.h
/// (invariants 5.1 to 5.6), SparseCUDATensorMath.cu (flatten_indices, then index_add_), SparseTensorMath.cpp (index).
std::optional<Misfit> find_misfit(const AssertRule& rule, const CallView& call, const TensorView& view, const std::vector<int64_t>& origin,
                                  const Measure* measured);

/// Where the element that column `column` of `indices` [sparse dimensions, elements] names lies in a tensor of these sizes, in row-major order; it wraps.
/// Precondition: `indices` has data, is integral and has two dimensions, the first no larger than `sizes`.
int64_t flat_position(const TensorView& indices, const std::vector<int64_t>& sizes, int64_t column);

}  // namespace minrepro::asserts
