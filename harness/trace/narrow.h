#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "harness/program/dtype.h"

/// Captured integers are mostly small (labels, indices, masks), and they are most of what a trace weighs: they are stored in the fewest bytes that hold all of
/// a tensor's elements, booleans in bits. The size alone tells a reader how.
namespace minrepro {

/// How often the stored bytes of a tensor go into its own: 1 as they are, 2, 4, 8. nullopt: no such form.
inline std::optional<int> narrowing_of(DType dtype, uint64_t count, uint64_t stored) {
  const auto item = static_cast<uint64_t>(size_of(dtype));
  if (stored == count * item) return 1;
  if (dtype == DType::kBool) return stored == (count + 7) / 8 ? std::optional<int>(8) : std::nullopt;
  if (dtype != DType::kInt16 && dtype != DType::kInt32 && dtype != DType::kInt64) return std::nullopt;
  for (uint64_t width = item / 2; width >= 1; width /= 2)
    if (stored == count * width) return static_cast<int>(item / width);
  return std::nullopt;
}

/// The best such number for these elements.
inline int best_narrowing(DType dtype, const char* data, std::size_t count) {
  const auto for_type = [&]<typename T>(T) {
    T low = 0;
    T high = 0;
    for (std::size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, data + i * sizeof(T), sizeof(T));
      low = std::min(low, value);
      high = std::max(high, value);
    }
    std::size_t width = 1;
    while (width < sizeof(T) && (low < -(int64_t{1} << (8 * width - 1)) || high >= int64_t{1} << (8 * width - 1))) width *= 2;
    return static_cast<int>(sizeof(T) / width);
  };
  switch (dtype) {
    case DType::kBool:
      // A boolean that is neither 0 nor 1 is undefined behaviour of the recorded program, and stays visible.
      return count > 1 && std::all_of(data, data + count, [](char c) { return c == 0 || c == 1; }) ? 8 : 1;
    case DType::kInt16: return for_type(int16_t{});
    case DType::kInt32: return for_type(int32_t{});
    case DType::kInt64: return for_type(int64_t{});
    default: return 1;
  }
}

inline std::size_t narrowed_size(DType dtype, std::size_t count, int narrowing) {
  return (count * static_cast<std::size_t>(size_of(dtype)) + static_cast<std::size_t>(narrowing) - 1) / static_cast<std::size_t>(narrowing);
}

/// Writes `narrowed_size` bytes. Little-endian: the low bytes come first.
inline void narrow(DType dtype, const char* data, std::size_t count, int narrowing, char* to) {
  const auto item = static_cast<std::size_t>(size_of(dtype));
  if (dtype == DType::kBool) {
    std::memset(to, 0, (count + 7) / 8);
    for (std::size_t i = 0; i < count; ++i) to[i / 8] = static_cast<char>(to[i / 8] | data[i] << i % 8);
    return;
  }
  const auto by_width = [&]<typename T>(T) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(T), data + i * item, sizeof(T));
  };
  switch (item / static_cast<std::size_t>(narrowing)) {
    case 1: return by_width(int8_t{});
    case 2: return by_width(int16_t{});
    default: return by_width(int32_t{});
  }
}

/// The reverse: writes count * size_of(dtype) bytes. Precondition: narrowing > 1, from `narrowing_of`.
inline void widen(DType dtype, const char* stored, std::size_t count, int narrowing, char* to) {
  if (dtype == DType::kBool) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<char>(stored[i / 8] >> i % 8 & 1);
    return;
  }
  const auto item = static_cast<std::size_t>(size_of(dtype));
  const auto by_width = [&]<typename T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, stored + i * sizeof(T), sizeof(T));
      const int64_t wide = value;
      std::memcpy(to + i * item, &wide, item);
    }
  };
  switch (item / static_cast<std::size_t>(narrowing)) {
    case 1: return by_width(int8_t{});
    case 2: return by_width(int16_t{});
    default: return by_width(int32_t{});
  }
}

}  // namespace minrepro
