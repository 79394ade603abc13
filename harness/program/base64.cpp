#include "harness/program/base64.h"

#include <array>
#include <cstdint>

namespace minrepro {
namespace {
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> kDigits = [] {
  std::array<int8_t, 256> digits{};
  digits.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  return digits;
}();
}  // namespace

std::string encode_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= n ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t padding = 0;
    uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      if (c == '=' && i + 4 == text.size() && k >= 2) {
        ++padding;
        group <<= 6;
        continue;
      }
      const int8_t digit = kDigits[static_cast<unsigned char>(c)];
      if (digit < 0 || padding) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * k) & 255));
    if (padding && (group & ((1u << (8 * padding)) - 1))) return std::nullopt;   // bits that no encoder sets
  }
  return bytes;
}

}  // namespace minrepro
