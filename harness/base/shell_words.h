#pragma once

#include <string>
#include <vector>

namespace minrepro {

/// A command as it is typed: words that a shell would take apart or replace are quoted.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace minrepro
