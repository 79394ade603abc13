#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "harness/torch/sim/op_traits.h"

namespace minrepro::sim {

/// Throws what LibTorch's CUDA wrappers throw when a CPU tensor stands beside one of the device: "Expected all tensors to be on the same device,
/// but got …". CPU tensors without dimensions pass, as do all where CUDA takes them (`OpTraits::takes_cpu_tensors`).
void check_same_device(const OpTraits& traits, const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments);

}  // namespace minrepro::sim
