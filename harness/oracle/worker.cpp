#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/failure/transcript.h"
#include "harness/oracle/frame.h"
#include "harness/oracle/oracle.h"
#include "harness/oracle/worker_process.h"
#include "harness/program/text_form.h"

namespace minrepro {
namespace {

constexpr double kStartSeconds = 120;    // a cold disk reads LibTorch for a while
constexpr double kExtraSeconds = 30;     // what the worker may take beyond a program's own limit on a busy machine
constexpr std::size_t kBatch = 256;      // programs in one request: bounds what the worker holds

/// Text of a program or outcome may hold any bytes that an operator printed: those that are no UTF-8 are replaced, not thrown at.
std::string dump(const nlohmann::json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Result<nlohmann::json> parse_object(const std::string& frame) {
  nlohmann::json json = nlohmann::json::parse(frame, nullptr, false);
  if (!json.is_object()) return Error{"the worker's answer is no JSON object"};
  return json;
}

Result<TensorMeta> meta_of(const nlohmann::json& json) {
  TensorMeta meta;
  const auto dtype = dtype_of_name(json.at("dtype").get<std::string>());
  if (!dtype) return Error{"the worker's answer names an unknown dtype"};
  meta.dtype = *dtype;
  meta.sizes = json.at("shape").get<std::vector<int64_t>>();
  meta.strides = json.at("strides").get<std::vector<int64_t>>();
  return meta;
}

}  // namespace

struct Worker::State {
  WorkerOptions options;
  std::unique_ptr<WorkerProcess> process;
  int64_t programs_run = 0;

  Status start() {
    process.reset();
    std::vector<std::string> command = {options.worker, "--serve"};
    if (!options.sim_library.empty()) command.insert(command.end(), {"--sim", options.sim_library});
    for (const std::string& library : options.load) command.insert(command.end(), {"--load", library});
    auto started = WorkerProcess::start(command);
    if (!started) return started.error();
    auto hello = read_frame((*started)->from(), kStartSeconds);
    if (!hello || !*hello) {
      // What the loader (or the worker) said on its way out, in one line.
      const int status = (*started)->end();
      std::string said = last_line((*started)->stderr_text());
      if (said.empty()) said = hello ? outcome_of_process(status, false, "").message : hello.error().message;
      return Error{fmt::format("the worker '{}' does not start: {}", options.worker, said)};
    }
    process = std::move(*started);
    return {};
  }

  /// The worker's next answer; an error if it is gone.
  Result<nlohmann::json> answer(double patience) {
    auto frame = read_frame(process->from(), patience);
    if (!frame) return frame.error();
    if (!*frame) return Error{"it closed the pipe"};
    return parse_object(**frame);
  }

  /// Forgets a worker that is gone and words why.
  Error gone(const Error& error) {
    const std::string said = last_line(process->stderr_text());
    const int status = process->end();
    process.reset();
    const Outcome end = outcome_of_process(status, false, "");
    return Error{fmt::format("the worker is gone: {}{}{}", error.message, end.kind == FailureKind::kSignal ? ", " + end.message : "",
                             said.empty() ? "" : ": " + said)};
  }

  Status send(const nlohmann::json& request, std::span<const Program> programs) {
    if (Status status = write_frame(process->to(), dump(request)); !status) return status;
    for (const Program& program : programs)
      if (Status status = write_frame(process->to(), dump(to_json(program))); !status) return status;
    return {};
  }

  /// Asks for one batch and fills `outcomes` as answers come. An error means that the worker is gone; what came until then stays.
  Status ask(std::span<const Program> programs, const RunLimits& limits, std::span<std::optional<Outcome>> outcomes) {
    const nlohmann::json request = {{"run", programs.size()},
                                    {"seconds", limits.seconds},
                                    {"memory_bytes", limits.memory_bytes},
                                    {"tensor_room", limits.tensor_room},
                                    {"contained", limits.contained},
                                    {"jobs", std::max(1, options.jobs)}};
    if (Status status = send(request, programs); !status) return status;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      auto json = answer(limits.seconds + kExtraSeconds);
      if (!json) return json.error();
      const auto index = json->find("index");
      const auto outcome = json->find("outcome");
      if (index == json->end() || outcome == json->end() || !index->is_number_unsigned() || index->get<std::size_t>() >= programs.size())
        return Error{"the worker's answer is no outcome"};
      auto read = outcome_from_json(*outcome);
      if (!read) return read.error();
      outcomes[index->get<std::size_t>()] = std::move(*read);
    }
    process->forget_stderr();
    return {};
  }
};

Worker::Worker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Worker::~Worker() = default;

Result<std::unique_ptr<Worker>> Worker::start(const WorkerOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  if (Status status = state->start(); !status) return status.error();
  return std::unique_ptr<Worker>(new Worker(std::move(state)));
}

int64_t Worker::programs_run() const { return state_->programs_run; }

Result<std::vector<Outcome>> Worker::run(std::span<const Program> programs, const RunLimits& limits) {
  std::vector<std::optional<Outcome>> outcomes(programs.size());
  bool restarted = false;  // for a worker that died between requests
  std::size_t begin = 0;
  while (begin < programs.size()) {
    if (outcomes[begin]) {
      ++begin;
      continue;
    }
    if (!state_->process)
      if (Status status = state_->start(); !status) return status.error();
    std::size_t count = 1;
    while (count < kBatch && begin + count < programs.size() && !outcomes[begin + count]) ++count;
    const std::span<std::optional<Outcome>> part(outcomes.data() + begin, count);
    const Status status = state_->ask(programs.subspan(begin, count), limits, part);
    if (status) continue;

    const Error error = state_->gone(status.error());
    const bool nothing_came = std::none_of(part.begin(), part.end(), [](const auto& outcome) { return outcome.has_value(); });
    if (limits.contained && nothing_came && !restarted) {
      restarted = true;
      continue;
    }
    if (limits.contained) return error;
    // A program killed the worker that it ran in: the first one without an outcome. In a child of its own it shows how it ends.
    const auto culprit = static_cast<std::size_t>(std::find(part.begin(), part.end(), std::nullopt) - part.begin());
    if (Status start = state_->start(); !start) return start.error();
    RunLimits contained = limits;
    contained.contained = true;
    if (Status again = state_->ask(programs.subspan(begin + culprit, 1), contained, part.subspan(culprit, 1)); !again)
      return state_->gone(again.error());
  }
  state_->programs_run += static_cast<int64_t>(programs.size());
  std::vector<Outcome> results;
  results.reserve(outcomes.size());
  for (auto& outcome : outcomes) results.push_back(std::move(*outcome));
  return results;
}

Result<std::map<int, CapturedTensor>> Worker::capture(const Program& program, int call, const RunLimits& limits) {
  const nlohmann::json request = {{"capture", call}, {"seconds", limits.seconds}, {"memory_bytes", limits.memory_bytes}};
  std::optional<nlohmann::json> answer;
  for (int attempt = 0; !answer; ++attempt) {
    if (!state_->process)
      if (Status status = state_->start(); !status) return status.error();
    Status sent = state_->send(request, std::span(&program, 1));
    auto json = sent ? state_->answer(limits.seconds + kExtraSeconds) : Result<nlohmann::json>(sent.error());
    if (json) {
      answer = std::move(*json);
    } else {
      const Error error = state_->gone(json.error());
      if (attempt > 0) return error;
    }
  }
  ++state_->programs_run;
  if (answer->contains("error")) return Error{answer->at("error").get<std::string>()};
  std::map<int, CapturedTensor> captured;
  try {
    for (const nlohmann::json& entry : answer->at("tensors")) {
      auto data = read_frame(state_->process->from(), kExtraSeconds);
      if (!data || !*data) return state_->gone(data ? Error{"it closed the pipe"} : data.error());
      auto meta = meta_of(entry);
      if (!meta) return meta.error();
      CapturedTensor tensor;
      tensor.meta = std::move(*meta);
      tensor.device = entry.at("device").get<std::string>();
      tensor.is_wrapped_number = entry.at("wrapped").get<bool>();
      const auto* bytes = reinterpret_cast<const std::byte*>((*data)->data());
      tensor.data.assign(bytes, bytes + (*data)->size());
      captured.emplace(entry.at("id").get<int>(), std::move(tensor));
    }
  } catch (const nlohmann::json::exception& error) {
    return state_->gone(Error{fmt::format("its answer cannot be read: {}", error.what())});
  }
  return captured;
}

}  // namespace minrepro
