#pragma once

#include <optional>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "harness/asserts/evaluate.h"
#include "harness/torch/sim/op_traits.h"

namespace minrepro::sim {

/// A rule that a call violates and that makes it fail, and the arguments it was called with.
struct PendingAssert {
  Violation violation;
  std::vector<c10::IValue> arguments;
};

/// What is wrong on CUDA with this call by `rules` (those of `traits` that its tensors call for), whose arguments are the top of `stack`, from `base` on. If a rule is violated, or the device is poisoned
/// already, the offending tensors are replaced on the stack by copies in which every element is valid, so that the CPU kernel has something to
/// compute garbage from. On a poisoned device nothing is reported. A violation of a silent rule is no failure: one note on stderr.
/// Throws the sticky error if no element could be valid (after reporting); c10::Error if that is so of a silent rule.
std::optional<PendingAssert> enforce_rules(const OpTraits& traits, const std::vector<const AssertRule*>& rules, const c10::FunctionSchema& schema,
                                            torch::jit::Stack* stack, std::size_t base);

/// The host-side checks of the call passed, so its kernel fails: prints the violation on stderr as CUDA does, tells the recorder if there is one in
/// the process, and poisons the device. Throws the sticky error if CUDA_LAUNCH_BLOCKING is 1.
void report_assert(const OpTraits& traits, const c10::FunctionSchema& schema, const PendingAssert& pending);

}  // namespace minrepro::sim
