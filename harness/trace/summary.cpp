#include "harness/trace/summary.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <filesystem>

#include "harness/asserts/rule.h"
#include "harness/base/grouped.h"
#include "harness/base/shell_words.h"
#include "harness/failure/failure.h"
#include "harness/failure/transcript.h"
#include "harness/trace/symbolise.h"

namespace minrepro {
namespace {

constexpr std::size_t kLongestText = 100;

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() > 2 * kLongestText) line = line.substr(0, 2 * kLongestText) + "…";
  return line;
}

class Summary {
 public:
  Summary(const Trace& trace, const std::string& working_folder) : trace_(trace), folder_(working_folder) {}

  std::vector<std::string> lines() {
    const std::optional<TraceFailure> failure = failure_of(trace_);
    if (!failure) return {without_failure()};
    std::vector<std::string> lines;
    if (!failure->rule.empty()) {
      lines.push_back(surfaced(*failure));
      const std::string inner = op_of(failure->call) == failure->op ? "" : fmt::format(" (in {})", failure->op);
      lines.push_back(fmt::format("its cause is  {}{}", call_text(failure->call), inner));
      lines.push_back(fmt::format("  {}", failure->text));
      if (const AssertRule* rule = find_rule(failure->rule))
        lines.push_back(fmt::format("  on CUDA: {}{}", what_cuda_does(*rule, *failure), trace_.simulated ? " (simulated)" : ""));
    } else {
      lines.push_back(fmt::format("{} {}", how_it_ended(*failure), call_text(failure->call)));
      if (failure->kind != name_of(FailureKind::kSignal) && failure->kind != name_of(FailureKind::kHang) && !failure->text.empty())
        lines.push_back(fmt::format("  {}", first_line(failure->text)));
    }
    lines.push_back(fmt::format("{}; next:  minrepro reduce {}", recorded(), shell_words({shown_path(trace_.folder)})));
    return lines;
  }

 private:
  std::string recorded() const {
    return fmt::format("recorded {} call{} in {}", grouped(static_cast<int64_t>(trace_.calls.size())), trace_.calls.size() == 1 ? "" : "s", shown_path(trace_.folder));
  }

  std::string without_failure() const {
    if (trace_.calls.empty())
      return fmt::format("nothing was recorded: the command made no call of a torch operator{}", ending().empty() ? "" : fmt::format(" ({})", ending()));
    if (ending().empty()) return fmt::format("no failure; {}", recorded());
    return fmt::format("the run ended with {}, outside of every recorded call; {}", ending(), recorded());
  }

  /// Empty for a good end.
  std::string ending() const {
    if (trace_.timed_out) return "its time limit";
    std::string what;
    if (trace_.wait_status && WIFSIGNALED(*trace_.wait_status)) what = signal_name(WTERMSIG(*trace_.wait_status));
    else if (trace_.wait_status && WEXITSTATUS(*trace_.wait_status) != 0) what = fmt::format("exit status {}", WEXITSTATUS(*trace_.wait_status));
    if (trace_.exception) what += fmt::format("{}{}", what.empty() ? "" : ", ", first_line(trace_.exception->type + ": " + trace_.exception->message));
    return what;
  }

  std::string how_it_ended(const TraceFailure& failure) const {
    if (failure.kind == name_of(FailureKind::kHang)) return "the run was ended while it was still in";
    if (failure.kind == name_of(FailureKind::kSignal)) return fmt::format("the run ended with {} in", failure.text);
    return fmt::format("the run ended with {} in", failure.kind == name_of(FailureKind::kException) ? "an exception" : failure.kind);
  }

  static std::string what_cuda_does(const AssertRule& rule, const TraceFailure& failure) {
    if (rule.on_cuda == OnCuda::kAsserts && !failure.expression.empty()) return fmt::format("{}, `{}`", failure.file, failure.expression);
    if (rule.on_cuda == OnCuda::kAsserts) return fmt::format("{}, {} asserts it without a message", rule.file, rule.function);
    return fmt::format("{}, {} goes outside of its memory, which no assertion checks", rule.file, rule.function);
  }

  std::string surfaced(const TraceFailure& failure) const {
    if (failure.symptom_call == failure.call) return fmt::format("the error surfaced at {}, where it was made", call_text(failure.call));
    if (failure.symptom_call >= 0) return fmt::format("the error surfaced at {}", call_text(failure.symptom_call));
    if (trace_.exception && trace_.exception->where.line > 0) return fmt::format("the error surfaced at {}", line_text(trace_.exception->where));
    return "the error did not surface before the run ended";
  }

  std::string op_of(int call) const { return trace_.ops[static_cast<std::size_t>(trace_.calls[static_cast<std::size_t>(call)].op)].name; }

  /// "train.py:37, out.scatter_(dim, labels, 1.0) → aten::scatter_.value".
  std::string call_text(int call) const {
    const int source = trace_.calls[static_cast<std::size_t>(call)].source;
    if (source < 0) return op_of(call);
    return fmt::format("{} → {}", line_text(symbolised(trace_.sources[static_cast<std::size_t>(source)])), op_of(call));
  }

  std::string line_text(const SourceLine& source) const {
    std::string text = source.text;
    if (text.size() > kLongestText) text = text.substr(0, kLongestText) + "…";
    const std::string place = source.line > 0 ? fmt::format("{}:{}", shown_path(source.file), source.line) : fmt::format("{} {}", shown_path(source.file), source.function);
    return text.empty() ? place : fmt::format("{}, {}", place, text);
  }

  std::string shown_path(const std::string& path) const {
    const std::string prefix = folder_.ends_with('/') ? folder_ : folder_ + "/";
    return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
  }

  const Trace& trace_;
  std::string folder_;
};

}  // namespace

std::vector<std::string> summary_of(const Trace& trace, const std::string& working_folder) { return Summary(trace, working_folder).lines(); }

}  // namespace minrepro
