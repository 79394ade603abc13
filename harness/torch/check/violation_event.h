#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/function_schema.h>

#include "harness/asserts/evaluate.h"

namespace minrepro {

/// A call that violates an assert rule, told by the simulated device to the recorder in the same process.
struct ViolationEvent {
  const c10::FunctionSchema* schema = nullptr;   ///< of the dispatched operator whose kernel asserts
  c10::ArrayRef<c10::IValue> arguments;          ///< its arguments, in schema order, valid during the call only
  const Violation* violation = nullptr;
};

}  // namespace minrepro

/// Exported by libminrepro_record.so with default visibility; the simulated device finds it by dlsym(RTLD_DEFAULT, "minrepro_record_violation")
/// and calls it, if it is there, right before the violation poisons the device.
extern "C" void minrepro_record_violation(const minrepro::ViolationEvent* event);
