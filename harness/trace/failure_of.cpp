#include <sys/wait.h>

#include <algorithm>

#include "harness/failure/failure.h"
#include "harness/failure/transcript.h"
#include "harness/trace/trace.h"

namespace minrepro {
namespace {

/// An exception that ends a run is at most this many calls old: what runs while it unwinds (destructors, a `finally`) is short.
constexpr int kMostCallsWhileUnwinding = 50;
/// How a shell tells that its child died by a signal.
constexpr int kShellSignalBase = 128;

/// The signal that ended the run, 0 if none did; a shell's 128 + n counts.
int signal_of(const Trace& trace) {
  if (!trace.wait_status) return 0;
  if (WIFSIGNALED(*trace.wait_status)) return WTERMSIG(*trace.wait_status);
  const int code = WIFEXITED(*trace.wait_status) ? WEXITSTATUS(*trace.wait_status) : 0;
  return code > kShellSignalBase && code < kShellSignalBase + 65 ? code - kShellSignalBase : 0;
}

bool ended_badly(const Trace& trace) {
  if (trace.timed_out || trace.exception) return true;
  if (!trace.wait_status) return true;   // it still runs, or everything was killed together
  return !WIFEXITED(*trace.wait_status) || WEXITSTATUS(*trace.wait_status) != 0;
}

int last_thrown(const Trace& trace) {
  for (int i = static_cast<int>(trace.calls.size()) - 1; i >= 0; --i)
    if (trace.calls[static_cast<std::size_t>(i)].state == CallState::kThrew) return i;
  return -1;
}

/// Whether the exception that ended the run came out of this call.
bool explains(const Trace& trace, int call) {
  if (!trace.exception) return true;
  const TraceCall& thrown = trace.calls[static_cast<std::size_t>(call)];
  if (static_cast<int>(trace.calls.size()) - 1 - call <= kMostCallsWhileUnwinding) return true;
  if (!thrown.message.empty() && trace.exception->message.find(thrown.message.substr(0, thrown.message.find('\n'))) != std::string::npos) return true;
  if (thrown.source < 0) return false;
  const SourceLine& line = trace.sources[static_cast<std::size_t>(thrown.source)];
  return line.file == trace.exception->where.file && line.line == trace.exception->where.line;
}

/// The call that had not ended. A crash comes from the one that started last; a hang is in the one that has been running longest.
int unfinished(const Trace& trace, bool longest) {
  int found = -1;
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    if (trace.calls[i].state != CallState::kStarted) continue;
    found = static_cast<int>(i);
    if (longest) break;
  }
  return found;
}

TraceFailure at_call(const Trace& trace, int call, FailureKind kind, std::string text) {
  TraceFailure failure;
  failure.call = call;
  failure.symptom_call = call;
  failure.kind = name_of(kind);
  failure.text = std::move(text);
  failure.op = trace.ops[static_cast<std::size_t>(trace.calls[static_cast<std::size_t>(call)].op)].name;
  return failure;
}

FailureKind kind_of_exception(const std::string& text) {
  const FailureKind kind = kind_of_error_text(text);
  return kind == FailureKind::kNone ? FailureKind::kException : kind;
}

FailureKind kind_of_rule(const std::string& id) {
  const AssertRule* rule = find_rule(id);
  return rule != nullptr ? failure_kind_of(*rule) : FailureKind::kDeviceAssert;
}

/// The violation that ended the run: the simulated device fails at the first one. CUDA may not notice an access outside of its memory; there such a violation
/// counts only if the error was of that kind.
const TraceViolation* violation_behind(const Trace& trace, int thrown) {
  if (trace.violations.empty()) return nullptr;
  if (trace.simulated) return &trace.violations.front();
  std::string error = trace.exception ? trace.exception->message : std::string();
  if (thrown >= 0) error += "\n" + trace.calls[static_cast<std::size_t>(thrown)].message;
  const FailureKind wanted = kind_of_error_text(error) == FailureKind::kIllegalAccess ? FailureKind::kIllegalAccess : FailureKind::kDeviceAssert;
  const auto found = std::find_if(trace.violations.begin(), trace.violations.end(),
                                  [wanted](const TraceViolation& violation) { return kind_of_rule(violation.rule) == wanted; });
  return found == trace.violations.end() ? nullptr : &*found;
}

}  // namespace

std::optional<TraceFailure> failure_of(const Trace& trace) {
  const int thrown = last_thrown(trace);
  if (const TraceViolation* violation = violation_behind(trace, thrown)) {
    TraceFailure failure;
    failure.call = violation->call;
    failure.kind = name_of(kind_of_rule(violation->rule));
    failure.text = violation->text;
    failure.rule = violation->rule;
    failure.op = violation->op;
    failure.file = violation->file;
    failure.expression = violation->expression;
    if (thrown >= violation->call && explains(trace, thrown)) failure.symptom_call = thrown;
    return failure;
  }
  if (!ended_badly(trace)) return std::nullopt;

  const int signal = signal_of(trace);
  if (trace.timed_out) {
    if (const int call = unfinished(trace, true); call >= 0) return at_call(trace, call, FailureKind::kHang, "still running when its time was up");
    return std::nullopt;
  }
  if (const int call = unfinished(trace, false); call >= 0 && (signal != 0 || !trace.wait_status)) {
    // An exception that nobody catches ends a C++ program before anything is unwound.
    if (trace.exception) return at_call(trace, call, kind_of_exception(trace.exception->message), trace.exception->message);
    return at_call(trace, call, FailureKind::kSignal, signal ? signal_name(signal) : "ended without a word");
  }
  if (thrown < 0 || !explains(trace, thrown)) return std::nullopt;
  const TraceCall& call = trace.calls[static_cast<std::size_t>(thrown)];
  const std::string& text = !call.message.empty() ? call.message : trace.exception ? trace.exception->message : call.message;
  return at_call(trace, thrown, kind_of_exception(text), text);
}

}  // namespace minrepro
