#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace minrepro::emit {

/// Columns that a line of an emitted program should not exceed.
inline constexpr std::size_t kColumns = 118;

/// Breaks a statement that is too long after commas (never inside a string literal); later lines are indented by `indent` + 4. Breaks are inside at least
/// `least_depth` brackets: Python wants 1.
std::string wrapped(std::string_view statement, std::size_t indent, int least_depth = 0);

/// Whether `word` stands in a program's text by itself, outside of string literals.
bool mentions(std::string_view text, std::string_view word);

/// "a, b, c"
std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace minrepro::emit
