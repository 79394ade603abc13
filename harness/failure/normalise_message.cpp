#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "harness/failure/failure.h"

namespace minrepro {
namespace {

constexpr std::size_t kLongest = 300;

/// Where a message stops being about the failure: backtraces, and advice that differs from version to version.
constexpr std::array<std::string_view, 6> kTails = {"Exception raised from", "C++ CapturedTraceback:", "CUDA kernel errors might be",
                                                    "Search for `cuda", "Compile with `TORCH_USE_CUDA_DSA`", "frame #0:"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view without_tail(std::string_view text) {
  std::size_t end = text.size();
  for (std::string_view tail : kTails) end = std::min(end, text.find(tail));
  return text.substr(0, end);
}

/// Length of the number at `at` ("10", "1.5e-3", "0x7f", "2x3" as in matrix shapes); 0 if there is none.
std::size_t number_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
  if (end >= text.size() || !is_digit(text[end])) return 0;
  if (text.substr(end, 2) == "0x" || text.substr(end, 2) == "0X") {
    end += 2;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    return end - at;
  }
  auto digits = [&] {
    while (end < text.size() && is_digit(text[end])) ++end;
  };
  digits();
  while (end + 1 < text.size() && text[end] == 'x' && is_digit(text[end + 1])) {
    ++end;
    digits();
  }
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    ++end;
    digits();
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      end = exponent;
      digits();
    }
  }
  return end - at;
}

/// Whether text[at] can begin a number: not inside an identifier ("conv2d", "int64"), and a sign only where it is no minus ("a-1").
bool begins_number(std::string_view text, std::size_t at) {
  const bool in_word = at > 0 && is_word(text[at - 1]);
  return !in_word && number_length(text, at) > 0;
}

/// "/build/aten/src/X.cpp" → "X.cpp": folders depend on who built the binary.
std::string without_folders(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '/' && at + 1 < text.size() && (is_word(text[at + 1]) || text[at + 1] == '.')) {
      std::size_t end = at;
      while (end < text.size() && (is_word(text[end]) || text[end] == '/' || text[end] == '.' || text[end] == '-' || text[end] == '+')) ++end;
      std::string_view path = text.substr(at, end - at);
      const std::size_t slash = path.rfind('/');
      // "N/A", "and/or" hold one slash and no extension: only what has a file's extension is a path.
      if (path.find('.', slash) != std::string_view::npos && slash + 1 < path.size()) {
        while (!out.empty() && (is_word(out.back()) || out.back() == '.' || out.back() == '-')) out.pop_back();
        out += path.substr(slash + 1);
        at = end;
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

std::string numbers_to_n(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (begins_number(text, at)) {
      at += number_length(text, at);
      out += 'N';
      continue;
    }
    if (is_word(text[at])) {  // a whole word at once, so that digits in it stay
      while (at < text.size() && is_word(text[at])) out += text[at++];
      continue;
    }
    out += text[at++];
  }
  return out;
}

/// "[N, N, N]", "[]", "[N]" → "[N]"; "(N, N)" → "(N)"; "N, N" → "N": how many there are is the shape's business.
std::string collapse_lists(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool standalone = text[at] == 'N' && (at == 0 || !is_word(text[at - 1])) && (at + 1 == text.size() || !is_word(text[at + 1]));
    if (standalone) {
      out += 'N';
      ++at;
      while (true) {
        std::size_t next = at;
        if (next < text.size() && text[next] == ',') ++next;
        else break;
        while (next < text.size() && text[next] == ' ') ++next;
        const bool more = next < text.size() && text[next] == 'N' && (next + 1 == text.size() || !is_word(text[next + 1]));
        if (!more) {
          if (next < text.size() && (text[next] == ')' || text[next] == ']')) at = next;  // "(N,)"
          break;
        }
        at = next + 1;
      }
      continue;
    }
    if (text.substr(at, 2) == "[]") {
      out += "[N]";
      at += 2;
      continue;
    }
    out += text[at++];
  }
  return out;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (!is_space(c)) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// A value in quotes that has no letters left ("'N'", "\"N:N\"") says nothing but itself.
std::string drop_quoted_values(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char quote = text[at];
    if ((quote == '\'' || quote == '"') && (at == 0 || !is_word(text[at - 1]))) {
      const std::size_t close = text.find(quote, at + 1);
      if (close != std::string_view::npos) {
        std::string_view inside = text.substr(at + 1, close - at - 1);
        bool has_name = false;
        for (std::size_t i = 0; i < inside.size(); ++i)
          has_name |= std::isalpha(static_cast<unsigned char>(inside[i])) != 0 && inside[i] != 'N';
        if (!has_name && !inside.empty()) {
          out += "'N'";
          at = close + 1;
          continue;
        }
      }
    }
    out += text[at++];
  }
  return out;
}

}  // namespace

std::string normalise_message(std::string_view message) {
  std::string text = on_one_line(without_tail(message));
  text = drop_quoted_values(collapse_lists(numbers_to_n(without_folders(text))));
  if (text.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // do not cut a UTF-8 character
    text.resize(end);
    while (!text.empty() && text.back() == ' ') text.pop_back();
  }
  return text;
}

}  // namespace minrepro
