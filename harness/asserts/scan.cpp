#include "harness/asserts/scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include "harness/asserts/bounds.h"
#include "harness/asserts/elements.h"

namespace minrepro::asserts {
namespace {

struct Dimension {
  int64_t size;
  int64_t stride;
};

bool is_empty(const TensorView& view) { return std::find(view.sizes.begin(), view.sizes.end(), 0) != view.sizes.end(); }

/// The memory that a view touches, each element once if it does not overlap itself: largest stride first, neighbours that continue each other
/// merged, repetitions (stride 0) left out.
std::vector<Dimension> memory_order(const TensorView& view) {
  std::vector<Dimension> dims;
  for (std::size_t d = 0; d < view.sizes.size(); ++d)
    if (view.sizes[d] != 1 && view.strides[d] != 0) dims.push_back({view.sizes[d], view.strides[d]});
  std::stable_sort(dims.begin(), dims.end(), [](const Dimension& a, const Dimension& b) { return a.stride > b.stride; });
  std::vector<Dimension> merged;
  for (const Dimension& d : dims) {
    if (!merged.empty() && merged.back().stride == d.size * d.stride) {
      merged.back() = {merged.back().size * d.size, d.stride};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

/// Whether the elements lie one behind the other in row-major order.
bool is_contiguous(const TensorView& view) {
  int64_t expected = 1;
  for (std::size_t d = view.sizes.size(); d-- > 0;) {
    if (view.sizes[d] == 1) continue;
    if (view.strides[d] != expected) return false;
    expected *= view.sizes[d];
  }
  return true;
}

/// Calls `run(pointer, n, stride)` for each innermost run until it returns false. Precondition: not empty.
template <typename T, typename Run>
bool for_each_run(const TensorView& view, const Run& run) {
  // Nearly all views: without an allocation, since this runs before every checked launch.
  if (is_contiguous(view)) return run(static_cast<const T*>(view.data), count_of(view.sizes), 1);
  std::vector<Dimension> dims = memory_order(view);
  Dimension inner{1, 1};
  if (!dims.empty()) {
    inner = dims.back();
    dims.pop_back();
  }
  const T* at = static_cast<const T*>(view.data);
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    if (!run(at, inner.size, inner.stride)) return false;
    std::size_t d = dims.size();
    while (d > 0) {
      --d;
      at += dims[d].stride;
      if (++index[d] < dims[d].size) break;
      at -= dims[d].stride * dims[d].size;
      index[d] = 0;
      if (d == 0) return true;
    }
    if (dims.empty()) return true;
  }
}

/// `value` is inside [lowest, last] if neither difference is negative. Differences that wrap are those of values far outside, and come out
/// negative; only bounds near the type's own limits can make a valid value look bad, hence "surely".
template <typename T>
bool run_holds(const T* at, int64_t n, int64_t stride, const ElementTest& test) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, int64_t>;
    using Bits = std::make_unsigned_t<Wide>;
    constexpr int64_t kLeast = std::numeric_limits<Wide>::min();
    constexpr int64_t kMost = std::numeric_limits<Wide>::max();
    if (test.excluded) {
      bool found = false;
      for (int64_t i = 0; i < n; ++i) found |= static_cast<int64_t>(at[i * stride]) == *test.excluded;
      if (found) return false;
    }
    // Differences would wrap.
    if (test.lowest == std::numeric_limits<int64_t>::min() && test.last == std::numeric_limits<int64_t>::max()) return true;
    const auto lowest = static_cast<Bits>(std::max(test.lowest, kLeast));
    const auto last = static_cast<Bits>(std::min(test.last, kMost));
    Bits outside = 0;
    const auto pass = [&](auto step, auto ignored) {
      for (int64_t i = 0; i < n; ++i) {
        const auto value = static_cast<Bits>(static_cast<Wide>(at[i * step]));
        const Bits bits = (value - lowest) | (last - value);
        if constexpr (std::is_same_v<decltype(ignored), std::nullptr_t>) {
          outside |= bits;
        } else {
          outside |= value == ignored ? Bits{0} : bits;
        }
      }
    };
    constexpr std::integral_constant<int64_t, 1> kDense;
    if (test.ignored && *test.ignored >= kLeast && *test.ignored <= kMost) {
      const auto ignored = static_cast<Bits>(*test.ignored);
      stride == 1 ? pass(kDense, ignored) : pass(stride, ignored);
    } else {
      stride == 1 ? pass(kDense, nullptr) : pass(stride, nullptr);
    }
    return (outside >> (sizeof(Bits) * 8 - 1)) == 0;
  } else {
    constexpr double kMost = std::numeric_limits<T>::max();   // a finite limit must not become infinity
    const T highest = static_cast<T>(std::isfinite(test.highest) ? std::min(test.highest, kMost) : test.highest);
    int outside = 0;
    if (test.nan_holds)
      for (int64_t i = 0; i < n; ++i) outside |= at[i * stride] < T{0} || at[i * stride] > highest;
    else
      for (int64_t i = 0; i < n; ++i) outside |= !(at[i * stride] >= T{0} && at[i * stride] <= highest);
    return outside == 0;
  }
}

template <typename T>
bool view_holds(const TensorView& view, const ElementTest& test) {
  return for_each_run<T>(view, [&](const T* at, int64_t n, int64_t stride) { return run_holds(at, n, stride, test); });
}

/// Reads each element through `read_real`: for the types that the compiler has no arithmetic for.
template <typename Storage>
bool view_holds_slowly(const TensorView& view, const ElementTest& test) {
  return for_each_run<Storage>(view, [&](const Storage* at, int64_t n, int64_t stride) {
    for (int64_t i = 0; i < n; ++i)
      if (!test.holds(read_real(view.dtype, at + i * stride))) return false;
    return true;
  });
}

/// float16 and bfloat16. Their bits are in the order of the numbers from 0 to infinity, so that one search tells which of them hold.
bool halves_hold(const TensorView& view, const ElementTest& test) {
  const unsigned infinity = view.dtype == DType::kFloat16 ? 0x7c00 : 0x7f80;
  const auto holds = [&](unsigned bits) {
    const auto half = static_cast<uint16_t>(bits);
    return test.holds(read_real(view.dtype, &half));
  };
  const auto from_zero = std::views::iota(0u, infinity + 1);
  const auto bound = static_cast<uint16_t>(std::ranges::partition_point(from_zero, holds) - from_zero.begin());
  if (bound == 0) return view_holds_slowly<uint16_t>(view, test);
  constexpr uint16_t kMinusZero = 0x8000;
  // Bits without the sign that are above infinity's are a NaN's.
  const auto number = static_cast<uint16_t>(test.nan_holds ? infinity : 0xffff);
  return for_each_run<uint16_t>(view, [&](const uint16_t* at, int64_t n, int64_t stride) {
    bool outside = false;
    for (int64_t i = 0; i < n; ++i) {
      const uint16_t bits = at[i * stride];
      outside |= bits >= bound && bits != kMinusZero && (bits & 0x7fff) <= number;
    }
    return !outside;
  });
}

/// A view without the dimensions that only repeat what is there, and how often they do. Its indices are those of the first repetition.
std::pair<TensorView, int64_t> without_repetitions(const TensorView& view) {
  TensorView once = view;
  int64_t times = 1;
  if (is_empty(view)) return {std::move(once), times};
  for (std::size_t d = 0; d < view.sizes.size(); ++d) {
    if (view.strides[d] != 0) continue;
    times *= view.sizes[d];
    once.sizes[d] = 1;
  }
  return {std::move(once), times};
}

/// Rows of the last dimension for which `is_bad(first element, length, bytes between elements)` holds.
template <typename IsBad>
BadRows find_rows(const TensorView& view, const IsBad& is_bad) {
  BadRows found;
  if (is_empty(view)) return found;
  TensorView starts = view;
  const int64_t length = view.sizes.empty() ? 1 : view.sizes.back();
  const int64_t step = view.sizes.empty() ? 0 : view.strides.back() * size_of(view.dtype);
  if (!starts.sizes.empty()) starts.sizes.back() = 1;
  for_each_element(starts, [&](const std::vector<int64_t>& index, const char* element) {
    ++found.total;
    if (is_bad(element, length, step) && found.rows++ == 0) found.first = index;
    return true;
  });
  return found;
}

}  // namespace

bool surely_all_hold(const TensorView& view, const ElementTest& test) {
  if (is_empty(view)) return true;
  // A value that is cut and allowed is one that is allowed as it is, if all of those fit.
  if (test.cut != Cut::kNone && (test.excluded || test.lowest < std::numeric_limits<int32_t>::min())) return false;
  switch (view.dtype) {
    case DType::kInt64: return view_holds<int64_t>(view, test);
    case DType::kInt32: case DType::kQInt32: return view_holds<int32_t>(view, test);
    case DType::kInt16: return view_holds<int16_t>(view, test);
    case DType::kInt8: case DType::kQInt8: return view_holds<int8_t>(view, test);
    case DType::kUInt8: case DType::kQUInt8: case DType::kBool: return view_holds<uint8_t>(view, test);
    case DType::kUInt16: return view_holds<uint16_t>(view, test);
    case DType::kUInt32: return view_holds<uint32_t>(view, test);
    case DType::kFloat32: return view_holds<float>(view, test);
    case DType::kFloat64: return view_holds<double>(view, test);
    case DType::kFloat16: case DType::kBFloat16: return halves_hold(view, test);
    default: break;
  }
  return is_floating(view.dtype) && view_holds_slowly<uint8_t>(view, test);
}

Offenders find_offenders(const TensorView& expanded, const ElementTest& test) {
  Offenders found;
  const auto [view, times] = without_repetitions(expanded);
  const DType dtype = view.dtype;
  const bool integral = is_integral(dtype);
  for_each_element(view, [&](const std::vector<int64_t>& index, const char* element) {
    if (integral) {
      const int64_t value = read_integer(dtype, element);
      if (test.holds(value)) return true;
      if (found.offending++ == 0) {
        found.first = index;
        found.first_integer = found.lowest_integer = found.highest_integer = value;
      }
      found.lowest_integer = std::min(found.lowest_integer, value);
      found.highest_integer = std::max(found.highest_integer, value);
    } else {
      const double value = read_real(dtype, element);
      if (test.holds(value)) return true;
      if (found.offending++ == 0) {
        found.first = index;
        found.first_real = found.lowest_real = found.highest_real = value;
      }
      found.lowest_real = std::fmin(found.lowest_real, value);
      found.highest_real = std::fmax(found.highest_real, value);
    }
    return true;
  });
  found.offending *= times;
  return found;
}

BadRows find_rows_without_positive(const TensorView& view) {
  return find_rows(view, [&](const char* row, int64_t length, int64_t step) {
    for (int64_t i = 0; i < length; ++i)
      if (read_real(view.dtype, row + i * step) > 0) return false;
    return true;
  });
}

BadRows find_rows_that_overflow(const TensorView& view) {
  std::array<char, 8> rounded{};
  return find_rows(view, [&](const char* row, int64_t length, int64_t step) {
    double sum = 0;
    for (int64_t i = 0; i < length; ++i) sum += read_real(view.dtype, row + i * step);
    write_real(view.dtype, sum, rounded.data());
    return std::isinf(read_real(view.dtype, rounded.data()));
  });
}

void Offenders::add(const Offenders& later) {
  if (later.offending == 0) return;
  if (offending == 0) {
    *this = later;
    return;
  }
  offending += later.offending;
  lowest_integer = std::min(lowest_integer, later.lowest_integer);
  highest_integer = std::max(highest_integer, later.highest_integer);
  lowest_real = std::fmin(lowest_real, later.lowest_real);
  highest_real = std::fmax(highest_real, later.highest_real);
}

bool is_complex_zero(DType dtype, const void* data) {
  const DType half = dtype == DType::kComplex128 ? DType::kFloat64 : dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat16;
  return read_real(half, data) == 0 && read_real(half, static_cast<const char*>(data) + size_of(half)) == 0;
}

Total total_of(const TensorView& expanded) {
  Total total;
  const auto [view, times] = without_repetitions(expanded);
  uint64_t sum = 0;
  const DType dtype = view.dtype;
  for_each_element(view, [&](const std::vector<int64_t>&, const char* element) {
    const int64_t value = read_integer(dtype, element);
    total.set += value != 0;
    sum += static_cast<uint64_t>(value);
    return true;
  });
  total.set *= times;
  total.sum = static_cast<int64_t>(sum * static_cast<uint64_t>(times));
  return total;
}

}  // namespace minrepro::asserts
