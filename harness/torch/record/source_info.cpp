#include "harness/torch/record/source_info.h"

#include <fstream>
#include <sys/stat.h>

namespace minrepro {

std::string read_source_text(const std::string& path, int64_t line) {
  constexpr off_t kLargestSource = off_t{16} << 20;
  constexpr std::size_t kLongestText = 300;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kLargestSource) return {};
  std::ifstream in(path);
  std::string text;
  for (int64_t i = 0; i < line; ++i)
    if (!std::getline(in, text)) return {};
  constexpr const char* kSpaces = " \t\r\f\v";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string::npos) return {};
  text = text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
  if (text.size() > kLongestText) text.resize(kLongestText);
  return text;
}

}  // namespace minrepro
