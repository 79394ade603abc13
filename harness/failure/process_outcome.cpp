#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cctype>
#include <csignal>
#include <utility>

#include "harness/asserts/rule.h"
#include "harness/failure/transcript.h"

/// How a process ended, read from its wait status and from what it printed.
namespace minrepro {
namespace {

struct Exception {
  std::string type;
  std::string message;
};

std::string first_part(std::string_view text) {
  // The message may run over several lines; a backtrace does not belong to it.
  for (std::string_view tail : {"\nException raised from", "\nframe #0:", "\nC++ CapturedTraceback:"})
    text = text.substr(0, text.find(tail));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return std::string(text);
}

/// libstdc++ "terminate called after throwing an instance of 'T'\n  what():  M", libc++ "terminating due to uncaught exception of type T: M".
std::optional<Exception> find_terminate(std::string_view text) {
  static constexpr std::string_view kLibstdcxx = "terminate called after throwing an instance of '";
  static constexpr std::string_view kLibcxx = "uncaught exception of type ";
  static constexpr std::string_view kWhat = "what():";
  if (const std::size_t at = text.rfind(kLibstdcxx); at != std::string_view::npos) {
    std::string_view rest = text.substr(at + kLibstdcxx.size());
    Exception exception;
    const std::size_t quote = rest.find('\'');
    if (quote == std::string_view::npos) return std::nullopt;
    exception.type = rest.substr(0, quote);
    const std::size_t what = rest.find(kWhat);
    if (what != std::string_view::npos) {
      rest = rest.substr(what + kWhat.size());
      while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
      exception.message = first_part(rest);
    }
    return exception;
  }
  if (const std::size_t at = text.rfind(kLibcxx); at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + kLibcxx.size());
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos || colon > rest.find('\n')) return Exception{first_part(rest), ""};
    return Exception{std::string(rest.substr(0, colon)), first_part(rest.substr(colon + 2))};
  }
  return std::nullopt;
}

/// The exception line of the last Python traceback: the first line after its header that is not indented.
std::optional<Exception> find_traceback(std::string_view text) {
  static constexpr std::string_view kHeader = "Traceback (most recent call last):";
  const std::size_t header = text.rfind(kHeader);
  if (header == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(header);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    rest = rest.substr(end + 1);
    if (rest.empty() || rest.front() == '\n' || std::isspace(static_cast<unsigned char>(rest.front())) != 0) continue;
    std::size_t name = 0;
    while (name < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[name])) != 0 || rest[name] == '_' || rest[name] == '.')) ++name;
    if (name == 0) continue;
    Exception exception{std::string(rest.substr(0, name)), ""};
    if (rest.substr(name, 2) == ": ") exception.message = first_part(rest.substr(name + 2));
    return exception;
  }
  return std::nullopt;
}

/// What a kernel that failed printed. The simulated device says more than CUDA does, and is alone in saying something of an access that no kernel checks.
std::optional<Outcome> find_kernel_failure(std::string_view text) {
  const std::optional<AssertLine> line = find_assert_line(text);
  const std::optional<SimulatedViolation> simulated = find_simulated_violation(text);
  if (!line && !simulated) return std::nullopt;
  Outcome outcome;
  if (line) {
    outcome.kind = FailureKind::kDeviceAssert;
    outcome.file = line->file;
    outcome.expression = line->expression;
    outcome.message = fmt::format("{}: Assertion `{}` failed", line->file, line->expression);
    if (const AssertRule* rule = find_rule_by_text(line->file, line->expression)) outcome.rule = rule->id;
  }
  if (simulated) {
    const AssertRule* rule = find_rule(simulated->rule);
    if (!line) outcome.kind = rule != nullptr ? failure_kind_of(*rule) : FailureKind::kIllegalAccess;
    outcome.op = simulated->op;
    outcome.rule = simulated->rule;
    outcome.message = simulated->text;
  }
  return outcome;
}

}  // namespace

Outcome outcome_of_process(int wait_status, bool timed_out, std::string_view stderr_text) {
  Outcome outcome;
  const bool ended_well = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
  // A kernel that asserted has failed, even in a program that never asks the device how it went, or hangs afterwards.
  if (auto failed = find_kernel_failure(stderr_text)) return std::move(*failed);
  if (timed_out) {
    outcome.kind = FailureKind::kHang;
    outcome.message = "still running at its time limit";
    return outcome;
  }
  if (ended_well) return outcome;

  // A shell passes its child's signal on as 128 + number.
  const int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
  const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : status > 128 && status < 160 ? status - 128 : 0;
  // Only std::terminate's SIGABRT is the exception that came before it; other signals are failures of their own, whatever was printed earlier.
  std::optional<Exception> exception;
  if (signal == SIGABRT || signal == 0) exception = find_terminate(stderr_text);
  if (!exception && signal == 0) exception = find_traceback(stderr_text);

  const FailureKind said = kind_of_error_text(exception ? exception->type + ": " + exception->message : std::string(stderr_text));
  if (exception) {
    outcome.exception_type = exception->type;
    outcome.message = exception->message;
    outcome.kind = said == FailureKind::kNone ? FailureKind::kException : said;
    return outcome;
  }
  if (said == FailureKind::kDeviceAssert || said == FailureKind::kIllegalAccess || (said != FailureKind::kNone && signal == 0)) {
    outcome.kind = said;
    outcome.message = std::string(name_of(said));
    return outcome;
  }
  if (signal != 0) {
    outcome.kind = FailureKind::kSignal;
    outcome.message = signal_name(signal);
    return outcome;
  }
  outcome.kind = FailureKind::kException;
  outcome.message = fmt::format("exit status {}", status);
  return outcome;
}

std::string signal_name(int number) {
  static constexpr std::array<std::pair<int, std::string_view>, 15> kSignals = {{
      {SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"}, {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"},
      {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"},
      {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}, {SIGSYS, "SIGSYS"},
  }};
  for (const auto& [value, name] : kSignals)
    if (value == number) return std::string(name);
  return fmt::format("signal {}", number);
}

}  // namespace minrepro
