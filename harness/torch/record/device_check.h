#pragma once

#include <optional>

#include <ATen/core/ivalue.h>

#include "harness/asserts/evaluate.h"
#include "harness/torch/record/op_table.h"

namespace minrepro {

/// Whether one of the arguments lives on a CUDA device.
bool is_on_cuda(c10::ArrayRef<const c10::IValue> arguments);

/// The assert rule that this call will violate on its CUDA device, read before its kernel is launched: the checked tensors are copied to the host, which
/// waits for the device. nullopt if there is none, or it cannot be told: the stream is being captured into a graph (it must not be waited for), or
/// the device has failed already.
std::optional<Violation> find_cuda_violation(const OpEntry& op, c10::ArrayRef<const c10::IValue> arguments);

}  // namespace minrepro
