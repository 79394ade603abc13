#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "harness/asserts/evaluate.h"

/// A CUDA kernel that asserts leaves garbage behind. Here the garbage is what the CPU kernel computes from valid elements in place of the
/// offending ones.
namespace minrepro::sim {

/// Row-major positions of the first `at_most` elements that offend by themselves.
std::vector<int64_t> offending_elements(const AssertRule& rule, const Violation& violation, const CallView& call, int at_most);

/// Replaces what `rule` checks in the call on top of `stack` by copies in which every offending element holds a valid value. Tensors that the
/// call writes stay as they are. Returns false if an element offends and no value is valid.
bool make_valid(const AssertRule& rule, const c10::FunctionSchema& schema, torch::jit::Stack* stack, std::size_t base);

}  // namespace minrepro::sim
