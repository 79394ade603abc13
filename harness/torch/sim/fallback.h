#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace minrepro::sim {

/// The kernel of every operator that has none of its own on the simulated device: checks the assert rules, then runs LibTorch's CPU kernel on
/// the memory of the arguments. Throws what the CPU kernel throws, or the device's sticky error.
void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);
/// The same for calls with a sparse tensor.
void run_sparse_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);

/// The kernel of every operator that would make a quantized tensor on the device: there are none.
void refuse_quantized(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace minrepro::sim
