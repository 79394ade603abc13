#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/failure/failure.h"

/// Reads what CUDA, LibTorch and the simulated device print.
namespace minrepro {

struct AssertLine {
  std::string file;               ///< without folders
  int line = 0;
  std::string function;           ///< may be empty
  std::string expression;
};

/// What the simulated device says of a violated rule, besides what CUDA would print.
struct SimulatedViolation {
  std::string op;                 ///< "aten::scatter_.value"
  std::string rule;               ///< its id
  std::string text;               ///< what violates it, for people
};

/// The first device-assert line in `text`, in CUDA's form
///   FILE:LINE: FUNCTION: block: [x,y,z], thread: [x,y,z] Assertion `EXPRESSION` failed.
/// with a missing or "(null)" function too.
std::optional<AssertLine> find_assert_line(std::string_view text);

/// The first line "minrepro-sim: (simulated) in OP: RULE: TEXT".
std::optional<SimulatedViolation> find_simulated_violation(std::string_view text);

/// What CUDA's (or HIP's) error texts say, wherever they stand in `text`: kDeviceAssert ("device-side assert triggered"), kIllegalAccess
/// (error 700 and relatives), kOutOfMemory (device or host). kNone if there is none of them.
FailureKind kind_of_error_text(std::string_view text);

/// How a process ended, from its wait status (as waitpid gives it), whether it ran into its time limit, and its standard error.
/// `op` is left empty where the text does not say it.
Outcome outcome_of_process(int wait_status, bool timed_out, std::string_view stderr_text);

/// "SIGSEGV" for 11; "signal N" for an unknown one.
std::string signal_name(int number);

}  // namespace minrepro
