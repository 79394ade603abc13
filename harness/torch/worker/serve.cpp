#include "harness/torch/worker/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "harness/asserts/rule.h"
#include "harness/failure/transcript.h"
#include "harness/oracle/frame.h"
#include "harness/program/text_form.h"
#include "harness/torch/worker/contain.h"
#include "harness/torch/worker/execute.h"
#include "harness/torch/worker/spaced_allocator.h"

namespace minrepro {
namespace {

std::string dump(const nlohmann::json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

struct Limits {
  double seconds = 20;
  int64_t memory_bytes = 0;
  int64_t tensor_room = 0;
  bool contained = true;
  int jobs = 1;
};

Limits limits_of(const nlohmann::json& request) {
  Limits limits;
  limits.seconds = request.value("seconds", limits.seconds);
  limits.memory_bytes = request.value("memory_bytes", int64_t{6} << 30);
  limits.tensor_room = request.value("tensor_room", int64_t{0});
  limits.contained = request.value("contained", true);
  limits.jobs = request.value("jobs", 1);
  return limits;
}

Outcome invalid(std::string message) {
  Outcome outcome;
  outcome.kind = FailureKind::kInvalid;
  outcome.message = std::move(message);
  return outcome;
}

/// The program's call that a child was in when it died.
void fill_call(const Progress& progress, const Program& program, Outcome& outcome) {
  outcome.call = progress.call;
  if (outcome.call >= 0 && static_cast<std::size_t>(outcome.call) < program.calls.size() && outcome.op.empty())
    outcome.op = program.calls[static_cast<std::size_t>(outcome.call)].op;
}

/// CUDA says what it asserted on standard error only.
void add_assert_line(const std::string& stderr_text, Outcome& outcome) {
  if (outcome.kind != FailureKind::kDeviceAssert || !outcome.expression.empty()) return;
  const auto line = find_assert_line(stderr_text);
  if (!line) return;
  outcome.file = line->file;
  outcome.expression = line->expression;
  if (const AssertRule* rule = find_rule_by_text(line->file, line->expression)) outcome.rule = rule->id;
}

/// How a child's program ended: what the child itself said or, if it could not, what its end and the shared page say.
Outcome outcome_of_child(const Ended& ended, const Program& program, const Limits& limits) {
  if (!ended.result.empty()) {
    auto outcome = outcome_from_json(nlohmann::json::parse(ended.result, nullptr, false));
    if (outcome) {
      add_assert_line(ended.stderr_text, *outcome);
      return *outcome;
    }
  }
  const Progress& progress = *ended.progress;
  Outcome outcome;
  if (progress.violation_call >= 0) {
    // The simulated device was poisoned before: that is the failure, and this is where it surfaced.
    outcome.call = progress.violation_call;
    outcome.symptom_call = progress.synchronizing ? -1 : progress.call;
    fill_from_violation(progress.violation, outcome);
  } else if (!ended.timed_out && WIFSIGNALED(ended.wait_status) && WTERMSIG(ended.wait_status) == SIGKILL) {
    outcome.kind = FailureKind::kOutOfMemory;
    outcome.message = "killed by the system, for want of memory";
    fill_call(progress, program, outcome);
  } else {
    outcome = outcome_of_process(ended.wait_status, ended.timed_out, ended.stderr_text);
    if (outcome.kind == FailureKind::kNone || (WIFEXITED(ended.wait_status) && outcome.kind == FailureKind::kException && outcome.exception_type.empty())) {
      outcome.kind = FailureKind::kException;
      outcome.message = fmt::format("the operator ended the process with exit status {}", WEXITSTATUS(ended.wait_status));
    }
    if (outcome.kind == FailureKind::kHang) outcome.message = fmt::format("still running at the time limit of {:g} s", limits.seconds);
    fill_call(progress, program, outcome);
  }
  outcome.seconds = ended.seconds;
  return outcome;
}

/// While a program runs in this process: no more memory and no more time than it may have. Past its time SIGALRM ends the process, and the
/// oracle asks again with a child.
class InProcessLimits {
 public:
  explicit InProcessLimits(const Limits& limits) {
    getrlimit(RLIMIT_DATA, &before_);
    rlimit memory = before_;
    const auto most = static_cast<rlim_t>(data_space() + limits.memory_bytes);
    if (memory.rlim_max == RLIM_INFINITY || most < memory.rlim_max) memory.rlim_cur = most;
    setrlimit(RLIMIT_DATA, &memory);
  }
  ~InProcessLimits() { setrlimit(RLIMIT_DATA, &before_); }
  InProcessLimits(const InProcessLimits&) = delete;
  InProcessLimits& operator=(const InProcessLimits&) = delete;

  static void set_alarm(double seconds) {
    itimerval timer = {};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

 private:
  rlimit before_ = {};
};

class Server {
 public:
  Server(int in, int out, Devices& devices) : in_(in), out_(out), devices_(devices) {}

  /// One request; false when there is nobody to answer any more.
  bool answer(const std::string& frame) {
    const nlohmann::json request = nlohmann::json::parse(frame, nullptr, false);
    if (!request.is_object()) return refuse("a request is no JSON object");
    try {
      const Limits limits = limits_of(request);
      if (request.contains("run")) return run(request.at("run").get<std::size_t>(), limits);
      if (request.contains("capture")) return capture_tensors(request.at("capture").get<int>(), limits);
    } catch (const nlohmann::json::exception& error) {
      return refuse(fmt::format("a request cannot be read: {}", error.what()));
    }
    return refuse("a request asks for neither run nor capture");
  }

 private:
  bool refuse(const std::string& message) { return write_frame(out_, dump({{"error", message}})).ok(); }
  bool tell(std::size_t index, const Outcome& outcome) {
    return write_frame(out_, dump({{"index", index}, {"outcome", to_json(outcome)}})).ok();
  }

  /// The next frame as a program that can be tried on its device; nullopt when the pipe is closed.
  std::optional<Result<Program>> read_program() {
    auto frame = read_frame(in_);
    if (!frame || !*frame) return std::nullopt;
    auto program = program_from_text(**frame);
    if (program)
      if (Status status = devices_.load(program->device); !status) return Result<Program>(status.error());
    return program;
  }

  /// CUDA starts in a forked child only, so that its poisoned context dies with it.
  static bool needs_child(const Program& program) { return program.device.starts_with("cuda"); }

  bool run(std::size_t count, const Limits& limits) {
    std::vector<Result<Program>> programs;
    for (std::size_t i = 0; i < count; ++i) {
      auto program = read_program();
      if (!program) return false;
      programs.push_back(std::move(*program));
    }
    std::vector<std::size_t> with_memory_limit, without;
    for (std::size_t i = 0; i < count; ++i) {
      if (!programs[i]) {
        if (!tell(i, invalid(programs[i].error().message))) return false;
      } else if (needs_child(*programs[i])) {
        without.push_back(i);
      } else if (limits.contained) {
        with_memory_limit.push_back(i);
      } else if (!tell(i, run_here(*programs[i], limits))) {
        return false;
      }
    }
    return run_children(programs, with_memory_limit, limits, limits.memory_bytes) && run_children(programs, without, limits, 0);
  }

  Outcome run_here(const Program& program, const Limits& limits) {
    devices_.reset_sim();
    *progress_ = Progress();
    const InProcessLimits bounded(limits);
    InProcessLimits::set_alarm(limits.seconds);
    Outcome outcome = execute(program, devices_, limits.memory_bytes, *progress_);
    InProcessLimits::set_alarm(0);
    return outcome;
  }

  bool run_children(const std::vector<Result<Program>>& programs, const std::vector<std::size_t>& which, const Limits& limits, int64_t memory_limit) {
    bool told = true;
    const bool listening = contain(
        which.size(), {limits.seconds, memory_limit, limits.jobs}, in_,
        [&](std::size_t i, Progress& progress) {
          devices_.reset_sim();
          if (limits.tensor_room > 0) space_tensors(limits.tensor_room, limits.memory_bytes);
          return dump(to_json(execute(*programs[which[i]], devices_, limits.memory_bytes, progress)));
        },
        [&](std::size_t i, const Ended& ended) { told = told && tell(which[i], outcome_of_child(ended, *programs[which[i]], limits)); });
    return listening && told;
  }

  /// What a child sends back: the frame with the metadata, its length before it, then all data.
  bool capture_tensors(int call, const Limits& limits) {
    auto program = read_program();
    if (!program) return false;
    if (!*program) return refuse(program->error().message);
    Ended end;
    Outcome failed;
    const int64_t memory_limit = needs_child(**program) ? 0 : limits.memory_bytes;
    const bool listening = contain(
        1, {limits.seconds, memory_limit, 1}, in_,
        [&](std::size_t, Progress& progress) {
          devices_.reset_sim();
          return packed(capture(**program, call, devices_, limits.memory_bytes, progress));
        },
        [&](std::size_t, const Ended& ended) {
          end = ended;
          if (ended.result.empty()) failed = outcome_of_child(ended, **program, limits);
        });
    if (!listening) return false;
    if (end.result.empty()) return refuse(fmt::format("calls[{}] fails: {}: {}", failed.call, name_of(failed.kind), failed.message));
    return forward(end.result);
  }

  static std::string packed(const Result<std::vector<Captured>>& captured) {
    nlohmann::json head;
    std::string data;
    if (!captured) {
      head = {{"error", captured.error().message}};
    } else {
      head["tensors"] = nlohmann::json::array();
      for (const Captured& tensor : *captured) {
        head["tensors"].push_back({{"id", tensor.id},
                                   {"dtype", name_of(tensor.meta.dtype)},
                                   {"shape", tensor.meta.sizes},
                                   {"strides", tensor.meta.strides},
                                   {"device", tensor.device},
                                   {"wrapped", tensor.is_wrapped_number},
                                   {"bytes", tensor.data.size()}});
        data += tensor.data;
      }
    }
    const std::string text = dump(head);
    const uint64_t length = text.size();
    std::string out(reinterpret_cast<const char*>(&length), sizeof length);
    return out + text + data;
  }

  bool forward(std::string_view result) {
    uint64_t length = 0;
    if (result.size() < sizeof length) return refuse("the capture was cut off");
    std::memcpy(&length, result.data(), sizeof length);
    result.remove_prefix(sizeof length);
    const nlohmann::json head = nlohmann::json::parse(result.substr(0, length), nullptr, false);
    if (length > result.size() || !head.is_object()) return refuse("the capture was cut off");
    result.remove_prefix(length);
    std::size_t expected = 0;
    if (head.contains("tensors"))
      for (const auto& tensor : head["tensors"]) expected += tensor.at("bytes").get<std::size_t>();
    if (expected != result.size()) return refuse("the capture was cut off");
    if (!write_frame(out_, dump(head))) return false;
    if (!head.contains("tensors")) return true;
    for (const auto& tensor : head["tensors"]) {
      const auto bytes = tensor.at("bytes").get<std::size_t>();
      if (!write_frame(out_, result.substr(0, bytes))) return false;
      result.remove_prefix(bytes);
    }
    return true;
  }

  int in_;
  int out_;
  Devices& devices_;
  std::unique_ptr<Progress> progress_ = std::make_unique<Progress>();
};

}  // namespace

int serve(int in, int out, Devices& devices) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  Server server(in, out, devices);
  while (true) {
    auto frame = read_frame(in);
    if (!frame || !*frame) return frame ? 0 : 1;
    if (!server.answer(**frame)) return 1;
  }
}

}  // namespace minrepro
