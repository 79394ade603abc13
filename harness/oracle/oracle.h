#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/failure/failure.h"
#include "harness/program/program.h"

/// Runs programs in child processes of a worker that has LibTorch loaded. A crash, hang or abort costs only that child.
namespace minrepro {

struct WorkerOptions {
  std::string worker;                          ///< path of minrepro-worker
  std::string sim_library;                     ///< path of the simulated device's library; loaded by the worker when a program's device is "sim"
  std::vector<std::string> load;               ///< user libraries (custom ops) that the worker loads first
  int jobs = 2;                                ///< children at once
};

struct RunLimits {
  double seconds = 20;                         ///< for one program; past that its outcome is a hang
  int64_t memory_bytes = int64_t{6} << 30;     ///< private memory that one program may add (its tensors as much again with `tensor_room`); past that: out of memory
  /// If not 0, each tensor of a contained program lies alone in memory with so many mapped bytes before and behind it: an access that is out of bounds by less
  /// harms nothing, one beyond it crashes. A memory fault that shows all the same depends neither on where the heap ends nor on what lies in it.
  int64_t tensor_room = 0;
  bool contained = true;                       ///< false: run inside the worker itself, for programs that are known to raise exceptions only
};

/// A tensor as a program's call got it, ready to stand as a leaf.
struct CapturedTensor {
  TensorMeta meta;
  std::string device;
  bool is_wrapped_number = false;
  std::vector<std::byte> data;                 ///< logical order
};

class Worker {
 public:
  /// Starts the worker and waits until LibTorch is loaded (about half a second). Errors: the library is missing, or it does not answer.
  static Result<std::unique_ptr<Worker>> start(const WorkerOptions& options);
  ~Worker();                                   ///< ends it and its children

  /// Outcomes in the order of `programs`. An error means that the worker itself is gone; a program that cannot be run has the outcome kInvalid.
  Result<std::vector<Outcome>> run(std::span<const Program> programs, const RunLimits& limits);

  /// Runs the calls before `call` and gives the tensors that `call` takes, by id (strided ones only).
  Result<std::map<int, CapturedTensor>> capture(const Program& program, int call, const RunLimits& limits);

  /// Programs run so far.
  int64_t programs_run() const;

 private:
  struct State;
  explicit Worker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace minrepro
