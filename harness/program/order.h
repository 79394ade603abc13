#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "harness/program/program.h"

namespace minrepro {

/// How much there is to read and to understand in a program. Compared member by member, the first that differs decides; smaller is simpler.
/// The order of the members is the order in which a reader suffers: a call costs more than any number of elements, an element more than any
/// argument, and so on. It is total up to programs that read the same, so every chain of simpler programs ends.
struct Complexity {
  int64_t calls = 0;
  int64_t elements = 0;          ///< of all leaves that hold data of their own
  int64_t leaves = 0;
  int64_t dimensions = 0;        ///< of all leaves together
  int64_t arguments = 0;         ///< given ones: an argument left at its default is not written
  int64_t oddities = 0;          ///< views, strides, devices of their own, wrapped numbers, layouts, seeds
  int64_t dtypes = 0;            ///< float32, int64 and bool are plain; other types cost
  int64_t fills = 0;             ///< 0 constant zero, 1 constant one, 2 another constant, 3 literal values, 4 random: summed over leaves
  int64_t values = 0;            ///< how long the literal values are to write, summed
  int64_t integers = 0;          ///< how long the integer and float arguments are to write, summed
  auto operator<=>(const Complexity&) const = default;
};

Complexity complexity_of(const Program& program);
inline bool is_simpler(const Program& a, const Program& b) { return complexity_of(a) < complexity_of(b); }

}  // namespace minrepro
