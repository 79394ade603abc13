#include "harness/base/printable.h"

#include <cstddef>
#include <cstdint>

namespace minrepro {
namespace {

/// Length of the well-formed UTF-8 character at the start of `text`, 0 if there is none.
std::size_t character(std::string_view text, uint32_t& code) {
  const auto at = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = at(0);
  const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  code = length == 1 ? first : first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (at(i) >> 6 != 2) return 0;
    code = code << 6 | (at(i) & 0x3F);
  }
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return code < kLeast[length] || code > 0x10FFFF || is_surrogate ? 0 : length;
}

bool is_control(uint32_t code) {
  const bool turns_text_around = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || turns_text_around;
}

}  // namespace

std::string printable(std::string_view text, bool keep_newlines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const std::size_t length = character(text, code);
    const bool is_kept = length > 0 && (!is_control(code) || code == '\t' || (code == '\n' && keep_newlines));
    if (is_kept) result.append(text.substr(0, length));
    else result += '?';
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

}  // namespace minrepro
