#include "harness/base/shell_words.h"

#include <cctype>
#include <string_view>

namespace minrepro {
namespace {

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "_-./:=,+@%";
  bool is_plain = !word.empty();
  for (const char c : word) is_plain = is_plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0 || kPlain.find(c) != std::string_view::npos);
  if (is_plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace minrepro
