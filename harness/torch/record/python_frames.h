#pragma once

#include "harness/torch/record/source_info.h"

namespace minrepro {

/// Finds Python's C API in this process; without it the functions below find nothing. Called once, on the thread that loads the recorder.
void find_python();
bool is_python_here();

/// Files below this folder are not the user's.
void ignore_python_folder(const char* folder);

/// Starts over in the child of a fork, where another thread may have been in the middle of a change.
void forget_python_frames();

/// The line of the user's Python code that makes the present call: the innermost frame outside of torch, the standard library and installed
/// packages, else the innermost frame. On a thread of the autograd engine, which has no frames, the line at which the thread waits that made the
/// latest call. Null where there is none. Takes the GIL for a moment if this thread does not hold it: never call it with a lock held.
SourceInfo* python_source();

}  // namespace minrepro
