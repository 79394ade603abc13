#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/program/program.h"
#include "harness/torch/worker/tensors.h"

namespace minrepro {

/// The arguments of `call` as a boxed call takes them, in schema order; those left out take their defaults. Errors name the argument.
Result<std::vector<c10::IValue>> arguments_of(const Call& call, const c10::FunctionSchema& schema, const std::string& device, const Tensors& tensors);

}  // namespace minrepro
