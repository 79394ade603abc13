#pragma once

#include <string>
#include <vector>

#include "harness/trace/trace.h"

namespace minrepro {

/// What a recorded run has to say when it has ended, in at most five lines without a prefix: where the error surfaced, its cause, what the violated rule found, what CUDA
/// prints, and the next command to type. One line if nothing failed. Paths below `working_folder` are shown relative to it.
std::vector<std::string> summary_of(const Trace& trace, const std::string& working_folder);

}  // namespace minrepro
