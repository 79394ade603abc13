#pragma once

#include <cstdint>
#include <vector>

namespace minrepro {

/// Integers that are shorter to write than `value` and worth trying in its place, shortest first: 0, 1, -1, then ever more of its leading bits, then one less.
std::vector<int64_t> shorter_integers(int64_t value);

/// The same for reals: 0, 1, -1, 0.5, 2, the nearest integer; for infinities and NaN 0, 1 and NaN.
std::vector<double> shorter_reals(double value);

}  // namespace minrepro
