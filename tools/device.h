#pragma once

#include <string_view>

#include "harness/base/result.h"

namespace minrepro {

/// Whether the driver of a GPU is there for us.
bool has_gpu();

/// Error for a name that is none of "sim", "cpu" and "cuda".
Status check_device(std::string_view name);

}  // namespace minrepro
