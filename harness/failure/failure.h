#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "harness/asserts/rule.h"
#include "harness/base/result.h"

/// How a run of a program ended, and the part of it that has to stay the same while reducing.
namespace minrepro {

enum class FailureKind {
  kNone,              ///< it ended well
  kDeviceAssert,
  kIllegalAccess,     ///< CUDA error 700 and relatives
  kException,         ///< a C++ exception that LibTorch raised on the host
  kSignal,            ///< the process died: SIGSEGV, SIGFPE, SIGABRT, …
  kHang,              ///< it ran past its time limit
  kOutOfMemory,       ///< host or device memory
  kInvalid,           ///< the program could not be run at all (unknown op, wrong argument kinds): never interesting
};

/// "device assert", "illegal access", "exception", "signal", "hang", "out of memory", "invalid", "none".
std::string_view name_of(FailureKind kind);
std::optional<FailureKind> failure_kind_of_name(std::string_view name);

/// What breaking the rule does on CUDA: kDeviceAssert, kIllegalAccess, or kNone for a rule whose violations go unnoticed.
FailureKind failure_kind_of(const AssertRule& rule);

/// One ended run.
struct Outcome {
  FailureKind kind = FailureKind::kNone;
  int call = -1;                  ///< index of the program's call that failed (the culprit); -1 unknown
  int symptom_call = -1;          ///< index of the call at which an asynchronous device reported it; -1: at the last synchronisation
  std::string op;                 ///< operator whose kernel failed, as dispatched ("aten::scatter.value_out"); for exceptions and signals the program's call
  std::string rule;               ///< id of the violated assert rule; empty if there is none
  std::string file;               ///< device assert: kernel file, without folders or line
  std::string expression;         ///< device assert: the asserted expression
  std::string message;            ///< full text for people: exception text without backtrace, signal name, violation text
  std::string exception_type;     ///< "c10::IndexError", "std::bad_alloc", …
  double seconds = 0;
};

/// Failure identity: a small comparable type.
struct Signature {
  FailureKind kind = FailureKind::kNone;
  std::string op;                 ///< `rule_name_of` the failing operator ("aten::scatter"); the same for composite and inner calls because the kernel's op is named
  std::string detail;             ///< device assert: rule id, or "FILE: EXPRESSION" when no rule is known; illegal access: rule id, if one says so; exception: normalised message;
                                  ///< signal: its name
  bool operator==(const Signature&) const = default;
};

Signature signature_of(const Outcome& outcome);
/// Whether a device assert was about NaN, as the violation's text says. No part of a signature, because CUDA prints no values; but a reduction keeps to it: who has
/// NaN among the probabilities learns nothing from a program in which they are all 0, although the same kernel asserts.
bool is_about_nan(const Outcome& outcome);
/// "device assert in aten::scatter (ScatterGatherKernel.cu: `idx_dim >= 0 && …`)", one line.
std::string to_text(const Signature& signature);

/// Drops what changes from run to run and while reducing: numbers, shapes in brackets, addresses, quoted file positions, backtraces. One line, at most 300 characters.
std::string normalise_message(std::string_view message);

nlohmann::json to_json(const Outcome& outcome);
Result<Outcome> outcome_from_json(const nlohmann::json& json);
nlohmann::json to_json(const Signature& signature);   ///< {"kind", "op", "detail", "text"}
Result<Signature> signature_from_json(const nlohmann::json& json);

}  // namespace minrepro
