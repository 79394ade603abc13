#pragma once

#include <cstdint>
#include <string>

namespace minrepro {

/// 1204 → "1,204".
inline std::string grouped(int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool is_start_of_three = i > (number < 0 ? 1u : 0u) && (digits.size() - i) % 3 == 0;
    if (is_start_of_three) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

}  // namespace minrepro
