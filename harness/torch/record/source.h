#pragma once

#include "harness/torch/record/source_info.h"

namespace minrepro {

/// Where the user's program makes the present call: a Python line, or a C++ address in a process without Python. Null where nobody knows.
/// Takes the GIL for a moment: never call it with a lock held.
SourceInfo* find_source();

}  // namespace minrepro
