#include "harness/torch/record/source.h"

#include "harness/torch/record/native_frames.h"
#include "harness/torch/record/python_frames.h"

namespace minrepro {

SourceInfo* find_source() { return is_python_here() ? python_source() : native_source(); }

}  // namespace minrepro
