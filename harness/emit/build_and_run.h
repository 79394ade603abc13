#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/stop.h"
#include "harness/failure/failure.h"

namespace minrepro {

/// A program that is expected to hang is given so long: its operator works on a few elements, and a process starts in one second.
inline constexpr double kHangRunSeconds = 10;

struct BuildAndRunRequest {
  std::string folder;                      ///< holds repro.cpp and CMakeLists.txt; nothing else of it is used
  std::string torch_dir;                   ///< folder of the torch package
  std::string device = "cuda";             ///< the program's argument
  std::string sim_library;                 ///< preloaded if `device` is "sim"
  int repeats = 3;
  double seconds = 60;                     ///< for one run; past that it is a hang
  std::function<void(std::string_view)> on_step;   ///< "building", "run 2 of 3"; may be empty
  const StopCondition* stop = nullptr;
};

struct BuildAndRun {
  bool built = false;
  std::string build_error;                 ///< if not built: the compiler's (or CMake's) first error, one line
  std::string build_log;                   ///< likewise, all of it
  std::vector<Outcome> outcomes;           ///< of the runs, each in a fresh process
  std::string output;                      ///< what the first run printed on stderr
  bool interrupted = false;
};

/// Copies the two files into a new empty folder, builds there with CMake and nothing but LibTorch, and runs the program `repeats` times.
/// Errors: no folder can be made, a file is missing, there is no cmake.
Result<BuildAndRun> build_and_run(const BuildAndRunRequest& request);

/// Whether a run of an emitted program shows the wanted failure. A process does not say in which operator an exception or a signal came up, and CUDA
/// not in which kernel an illegal access: what it does not say does not count.
bool shows(const Outcome& outcome, const Signature& wanted);

}  // namespace minrepro
