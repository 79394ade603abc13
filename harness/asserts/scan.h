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
  std::optional<int64_t> excluded;
  Cut cut = Cut::kNone;                    ///< what is left of a value is compared
  double highest = 0;
  bool nan_holds = false;
  bool rounds_to_float = false;            ///< reals are rounded to float32 before

  bool holds(int64_t value) const {
    if (cut == Cut::kInt32) value = static_cast<int32_t>(value);
    if (cut == Cut::kUint32) value = static_cast<uint32_t>(value);
    return (lowest <= value && value <= last && value != excluded) || value == ignored;
  }
  bool holds(double value) const {
    if (rounds_to_float) value = static_cast<float>(value);
    return (value >= 0 && value <= highest) || (nan_holds && value != value);
  }
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

  /// Takes those of a later part of the tensor in.
  void add(const Offenders& later);
};
/// Every element is looked at, in row-major order.
Offenders find_offenders(const TensorView& view, const ElementTest& test);

/// Rows of the last dimension that hold no element > 0; a view without dimensions is one row of one element.
struct BadRows {
  int64_t rows = 0;
  int64_t total = 0;
  std::vector<int64_t> first;              ///< where the first one starts
};
BadRows find_rows_without_positive(const TensorView& view);
/// Rows of the last dimension whose sum is infinite in the view's own type.
BadRows find_rows_that_overflow(const TensorView& view);

/// Whether both parts of the complex number at `data` are 0.
bool is_complex_zero(DType dtype, const void* data);

/// Number of elements that are not 0, and the sum of all (which wraps). Precondition: integral.
struct Total {
  int64_t set = 0;
  int64_t sum = 0;
};
Total total_of(const TensorView& view);

}  // namespace minrepro::asserts
