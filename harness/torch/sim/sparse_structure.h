#pragma once

#include "harness/torch/sim/preconditions.h"

/// Sparse tensors are made without a look at their indices, and most kernels that use them trust these.
namespace minrepro::sim {

/// Whether the indices of each sparse argument lie inside of its sizes, and compressed ones go from 0 to the number of values.
/// For operators of this rule name ("aten::mm") that would leave their memory otherwise; null for those that only carry indices along
/// (a copy, arithmetic on values) and for those whose rules say all there is to check.
const Precondition* sparse_precondition_of(std::string_view family);

}  // namespace minrepro::sim
