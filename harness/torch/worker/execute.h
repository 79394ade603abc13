#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/failure/failure.h"
#include "harness/program/program.h"
#include "harness/torch/worker/devices.h"
#include "harness/torch/worker/progress.h"

namespace minrepro {

/// Runs a program in this process, without autograd, on its device, and says how it ended. Never throws. A program that LibTorch cannot
/// be asked to run at all is kInvalid.
Outcome execute(const Program& program, const Devices& devices, int64_t memory_bytes, Progress& progress);

struct Captured {
  int id = -1;
  TensorMeta meta;
  std::string device;
  bool is_wrapped_number = false;
  std::string data;                       ///< logical order
};

/// Runs the calls before `call` and copies the strided tensors that `call` takes to the host; those larger than kMaxCapturedBytes are left out.
/// Errors: there is no such call, an earlier one fails.
Result<std::vector<Captured>> capture(const Program& program, int call, const Devices& devices, int64_t memory_bytes, Progress& progress);

/// What the simulated device's own JSON says about a violation, put into an outcome.
void fill_from_violation(const std::string& json, Outcome& outcome);

/// One thread, LibTorch's dispatcher warm: to be called once, before any fork.
void warm_up();

}  // namespace minrepro
