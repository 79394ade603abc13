#include "harness/emit/pasted_output.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace minrepro::emit {
namespace {

constexpr std::size_t kMostOutput = 4000;
constexpr std::string_view kOfEverybody = "/pytorch/";

bool is_in_path(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/._-+@~%").find(c) != std::string_view::npos || (c & 0x80) != 0; }

/// "/home/me/x/a.cpp:3" → "a.cpp:3". URLs, options and divisions have no path that begins with a slash after a break.
std::string without_folders(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    const bool begins = line[i] == '/' && (i == 0 || std::string_view(" \t\"'`([{<=,:;").find(line[i - 1]) != std::string_view::npos);
    std::size_t end = i;
    while (begins && end < line.size() && is_in_path(line[end])) ++end;
    std::string_view path = line.substr(i, end - i);
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    const std::size_t last = path.rfind('/');
    if (!begins || path.starts_with("//") || path.starts_with(kOfEverybody) || last == 0 || last == std::string_view::npos) {
      text += line.substr(i, std::max<std::size_t>(end - i, 1));
      i = std::max(end, i + 1);
      continue;
    }
    text += path.substr(last + 1);
    i = end;
  }
  return text;
}

bool is_of_a_backtrace(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos) return false;
  line.remove_prefix(start);
  static constexpr std::array<std::string_view, 3> kStarts = {"Exception raised from ", "frame #", "C++ CapturedTraceback:"};
  if (std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view s) { return line.starts_with(s); })) return true;
  // "#4 c10::Error::Error(…) from ??:0"
  return line.size() > 1 && line[0] == '#' && std::isdigit(static_cast<unsigned char>(line[1])) != 0 && line.find(" from ") != std::string_view::npos;
}

std::string without_control_characters(std::string_view line) {
  std::string text;
  for (const char c : line)
    if (static_cast<unsigned char>(c) >= 32 || c == '\t') text += c;
  while (text.ends_with(' ') || text.ends_with('\t')) text.pop_back();
  return text;
}

}  // namespace

std::string pasted_output(std::string_view output) {
  std::string text;
  bool blank = true;                       // no blank line first, nor two in a row
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string line = without_control_characters(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (is_of_a_backtrace(line) || (line.empty() && blank)) continue;
    if (text.size() + line.size() > kMostOutput) {
      text += "…\n";
      break;
    }
    blank = line.empty();
    text += without_folders(line) + '\n';
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace minrepro::emit
