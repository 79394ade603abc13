#pragma once

#include <ATen/core/Tensor.h>

#include <unordered_map>

namespace minrepro {

/// The tensors of a running program, by id. Undefined results are not in it.
using Tensors = std::unordered_map<int, at::Tensor>;

}  // namespace minrepro
