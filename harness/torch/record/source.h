#pragma once

#include <string_view>

#include "harness/torch/record/source_info.h"

namespace minrepro {

/// Where the user's program makes the present call: a Python line, or a C++ address in a process without Python. Null where nobody knows.
/// Takes the GIL for a moment: never call it with a lock held.
SourceInfo* find_source();

/// Whether an assert rule's `argument` ("index|indices") names this one.
bool names_argument(std::string_view alternatives, std::string_view name);

}  // namespace minrepro
