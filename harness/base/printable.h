#pragma once

#include <string>
#include <string_view>

namespace minrepro {

/// The text as UTF-8 that can be shown and written as JSON: what is no UTF-8, and control characters (a terminal may obey them), become '?'. Tabs stay, and
/// newlines where they are asked for.
std::string printable(std::string_view text, bool keep_newlines = false);

}  // namespace minrepro
