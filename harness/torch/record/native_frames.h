#pragma once

#include "harness/torch/record/source_info.h"

namespace minrepro {

/// Starts over in the child of a fork, where another thread may have been in the middle of a change.
void forget_native_frames();

/// The innermost caller outside of LibTorch, the C and C++ runtime and the recorder: `file` is its module, `function` "+0xOFFSET" into it.
/// Null where there is none (a thread of LibTorch's own).
SourceInfo* native_source();

}  // namespace minrepro
