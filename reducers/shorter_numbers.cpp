#include "reducers/shorter_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minrepro {

std::vector<int64_t> shorter_integers(int64_t value) {
  std::vector<int64_t> result;
  const auto add = [&](int64_t candidate) {
    if (candidate != value && std::find(result.begin(), result.end(), candidate) == result.end()) result.push_back(candidate);
  };
  if (value == 0) return result;
  add(0);
  if (value == 1) return result;
  add(1);
  if (value == -1) return result;
  add(-1);
  for (int shift = 48; shift >= 1; shift = shift > 4 ? shift / 2 : shift - 1)
    if (const int64_t part = value / (int64_t{1} << shift); part > 1 || part < -1) add(part);
  add(value > 0 ? value - 1 : value + 1);
  return result;
}

std::vector<double> shorter_reals(double value) {
  std::vector<double> result;
  for (const double candidate : {0.0, 1.0, -1.0, 0.5, 2.0})
    if (candidate != value) result.push_back(candidate);
    else return result;
  if (std::isinf(value)) result.push_back(std::numeric_limits<double>::quiet_NaN());
  if (std::isfinite(value) && value != std::trunc(value)) result.push_back(std::trunc(value));
  return result;
}

}  // namespace minrepro
