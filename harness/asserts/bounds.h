#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/asserts/alternatives.h"
#include "harness/asserts/evaluate.h"

/// Which tensors of a call a rule checks, and against what. Parts of evaluate.h.
namespace minrepro::asserts {

/// A tensor that a rule checks.
struct Checked {
  std::string_view argument;               ///< the alternative that the call has
  int list_position = -1;
  TensorView tensor;
};
/// In the order of the list; None entries are left out.
std::vector<Checked> checked_tensors(const AssertRule& rule, const CallView& call);

/// Whether `when`, `unless`, `required_argument` and the ranks allow the rule to hold for this call.
bool applies(const AssertRule& rule, const CallView& call);

/// What a tensor is measured with, and how to say it.
struct Measure {
  Bounds bounds{};
  int64_t size = 0;                        ///< what the bound was made of, as the call has it
  std::string_view argument;               ///< of the bound
  std::string_view ignored_argument{};      ///< which one gave `bounds.ignored`
  int64_t dim = -1;                        ///< of `argument`; -1 if the bound is no size
  bool refused = false;                    ///< host code refuses an index into this before the kernel is launched
  bool idle = false;                       ///< there is no element to read or write: no kernel is launched
  bool no_index = false;                   ///< an index that the others are broadcast with is empty
};
std::optional<Measure> measure(const AssertRule& rule, const CallView& call, int list_position);

/// The size at `dim`, which may count from the end; 1 for a scalar tensor. nullopt if there is no such dimension.
std::optional<int64_t> size_along(const std::vector<int64_t>& sizes, int64_t dim);
/// Product of the sizes.
int64_t count_of(const std::vector<int64_t>& sizes);
/// Number of elements of both sizes broadcast against each other.
int64_t broadcast_count(const std::vector<int64_t>& a, const std::vector<int64_t>& b);
/// Tensors of an index list that select by number; the others are masks.
bool selects_by_number(DType dtype);

}  // namespace minrepro::asserts
