#include "harness/emit/wrap.h"

#include <cctype>

namespace minrepro::emit {
namespace {

struct Place {
  std::size_t at = 0;        ///< the next line begins here
  int depth = 0;             ///< brackets that are open
};

/// After a comma, or before the dot of a further call on a result; never inside a string literal.
std::vector<Place> places_to_break(std::string_view text) {
  std::vector<Place> places;
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    else if (c == '"') quoted = !quoted;
    else if (quoted) continue;
    else if (c == '(' || c == '{' || c == '[') ++depth;
    else if (c == ')' || c == '}' || c == ']') --depth;
    else if (c == '.' && i > 0 && text[i - 1] == ')') places.push_back({i, depth});
    else if (text.substr(i, 2) == ", ") places.push_back({i + 2, depth});
  }
  return places;
}

}  // namespace

std::string wrapped(std::string_view statement, std::size_t indent, int least_depth) {
  std::vector<Place> places = places_to_break(statement);
  std::erase_if(places, [&](const Place& place) { return place.depth < least_depth; });
  std::string text;
  std::size_t from = 0;
  std::size_t margin = indent;
  auto next = places.begin();
  while (margin + statement.size() - from > kColumns) {
    // The outermost place that keeps the line short enough, the last of those; else the first place there is.
    const Place* best = nullptr;
    for (auto place = next; place != places.end() && (best == nullptr || margin + place->at - from <= kColumns + 1); ++place)
      if (place->at > from && (best == nullptr || place->depth <= best->depth)) best = &*place;
    if (best == nullptr) break;
    std::string_view line = statement.substr(from, best->at - from);
    while (line.ends_with(' ')) line.remove_suffix(1);
    text += std::string(margin, ' ').append(line) + '\n';
    from = best->at;
    while (next != places.end() && next->at <= from) ++next;
    margin = indent + 4;
  }
  return text + std::string(margin, ' ').append(statement.substr(from)) + '\n';
}

bool mentions(std::string_view text, std::string_view word) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.'; };
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text.substr(i, word.size()) == word) {
      const bool begins = i == 0 || !is_word(text[i - 1]);
      const bool ends = i + word.size() == text.size() || !is_word(text[i + word.size()]);
      if (begins && ends) return true;
    }
  }
  return false;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text.append(i == 0 ? "" : separator).append(parts[i]);
  return text;
}

}  // namespace minrepro::emit
