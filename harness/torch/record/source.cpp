#include "harness/torch/record/source.h"

#include "harness/torch/record/native_frames.h"
#include "harness/torch/record/python_frames.h"

namespace minrepro {

SourceInfo* find_source() { return is_python_here() ? python_source() : native_source(); }

bool names_argument(std::string_view alternatives, std::string_view name) {
  for (;;) {
    const std::size_t bar = alternatives.find('|');
    if (alternatives.substr(0, bar) == name) return true;
    if (bar == std::string_view::npos) return false;
    alternatives.remove_prefix(bar + 1);
  }
}

}  // namespace minrepro
