#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "harness/torch/check/call_view.h"

/// What CPU kernels take for granted of their arguments, and nothing checks: an operator that autograd or a public function calls with arguments
/// that fit together can be called with others too, and its kernel then leaves its memory or divides by zero. The simulated device refuses
/// such a call. (What CUDA's kernels take for granted of the values in a tensor is the assert rules' part.)
namespace minrepro::sim {

/// What is wrong with the arguments, as the end of a sentence; nullopt if the CPU kernel can run.
using Precondition = std::function<std::optional<std::string>(const SchemaCallView& call, c10::ArrayRef<c10::IValue> arguments)>;

/// Of the operator whose rule name this is ("aten::avg_pool2d_backward"); null if its kernel checks all it needs.
const Precondition* precondition_of(std::string_view family);

}  // namespace minrepro::sim
