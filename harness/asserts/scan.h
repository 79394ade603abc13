#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/asserts/evaluate.h"

/// Passes over the elements of a tensor. Parts of evaluate.h.
namespace minrepro::asserts {

/// What one element has to be. Integers in [lowest, last] or equal to `ignored`; reals in [0, highest]. NaN is outside unless `nan_holds`.
struct ElementTest {
  int64_t lowest = 0;
  int64_t last = -1;
  std::optional<int64_t> ignored;
  double highest = 0;
  bool nan_holds = false;

  bool holds(int64_t value) const { return (lowest <= value && value <= last) || (ignored && value == *ignored); }
  bool holds(double value) const { return (value >= 0 && value <= highest) || (nan_holds && value != value); }
};

/// Integral views use the integer part of the test, others the real one. Precondition: `view.data` is set, no complex type.
/// True if every element passes; false may also mean "look closer". One pass in memory order that compilers vectorise: it runs before every
/// checked launch.
bool surely_all_hold(const TensorView& view, const ElementTest& test);

struct Offenders {
  int64_t offending = 0;
  std::vector<int64_t> first;              ///< in row-major order
  int64_t first_integer = 0, lowest_integer = 0, highest_integer = 0;
  double first_real = 0, lowest_real = 0, highest_real = 0;   ///< NaN only if there is nothing else
};
/// Every element is looked at, in row-major order.
Offenders find_offenders(const TensorView& view, const ElementTest& test);

/// Rows of the last dimension that hold no element > 0; a view without dimensions is one row of one element.
struct EmptyRows {
  int64_t rows = 0;
  int64_t total = 0;
  std::vector<int64_t> first;              ///< where the first one starts
};
EmptyRows find_rows_without_positive(const TensorView& view);

/// Number of elements that are not 0, and the sum of all (which wraps). Precondition: integral.
struct Total {
  int64_t set = 0;
  int64_t sum = 0;
};
Total total_of(const TensorView& view);

}  // namespace minrepro::asserts
