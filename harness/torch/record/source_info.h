#pragma once

#include <cstdint>
#include <string>

namespace minrepro {

/// A place in the user's program. Made once, never freed.
struct SourceInfo {
  std::string file;
  int64_t line = 0;
  std::string function;
  std::string text;                       ///< the line itself, trimmed; empty if it could not be read

  // The recorder's, under its mutex.
  uint64_t session = 0;                   ///< for which `number` was given
  uint64_t number = 0;
};

/// Line `line` of `path`, without white space around it, at most 300 bytes; empty if it cannot be read.
std::string read_source_text(const std::string& path, int64_t line);

}  // namespace minrepro
