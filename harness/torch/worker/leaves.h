#pragma once

#include <cstdint>

#include "harness/base/result.h"
#include "harness/program/program.h"
#include "harness/torch/worker/tensors.h"

namespace minrepro {

/// Bytes that the storages of all leaves take. Saturates at INT64_MAX.
int64_t bytes_of_leaves(const Program& program);

/// Makes the program's leaves on their devices. Errors name the leaf ("leaves[2]: …"). May throw what LibTorch throws for want of memory.
Status make_leaves(const Program& program, Tensors& tensors);

}  // namespace minrepro
