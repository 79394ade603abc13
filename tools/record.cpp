#include "tools/record.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "harness/base/shell_words.h"
#include "harness/trace/run_info.h"
#include "harness/trace/summary.h"
#include "harness/trace/trace.h"
#include "harness/trace/trace_folder.h"
#include "tools/command_line.h"
#include "tools/device.h"
#include "tools/parts.h"
#include "tools/parts_config.h"
#include "tools/recorded_command.h"

namespace minrepro {
namespace fs = std::filesystem;

namespace {

constexpr int kSignalBase = 128;         // as shells tell it
constexpr int kTimedOut = 124;           // as timeout(1) tells it

/// Ours end at the first word that is no option, or at "--"; the rest is the command, which may have options of its own.
int count_own_words(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--" || !word.starts_with('-') || word == "-") return i;
    const bool takes_value = word == "-o" || word == "--output" || word == "--data" || word == "--time";
    if (takes_value) ++i;
  }
  return argc;
}

int exit_status_of(const ChildEnd& end) {
  if (end.timed_out) return kTimedOut;
  return WIFSIGNALED(end.wait_status) ? kSignalBase + WTERMSIG(end.wait_status) : WEXITSTATUS(end.wait_status);
}

void print_summary(const RecordRequest& request, int status) {
  const Result<Trace> trace = read_trace(request.folder);
  if (!trace) {
    fmt::print(stderr, "minrepro record: {}\n", trace.error().message);
    return;
  }
  for (const std::string& line : summary_of(*trace, fs::current_path().string())) fmt::print(stderr, "minrepro: {}\n", line);
  if (status == 0 || request.simulate || !trace->exception || has_gpu()) return;
  // How LibTorch says that there is no GPU.
  for (const char* words : {"NVIDIA driver", "CUDA GPUs are available", "CUDA enabled"})
    if (trace->exception->message.find(words) != std::string::npos) {
      fmt::print(stderr, "minrepro: to run it without a GPU:  minrepro record --simulate -- {}\n", shell_words(request.words));
      return;
    }
}

}  // namespace

int record_command(int argc, char** argv) {
  cxxopts::Options options("minrepro record",
                           "Runs a command and records every torch operator call in it. The command's input, output and exit status are its own; "
                           "what minrepro has to say comes last, on stderr.");
  options.add_options()("o,output", "Trace folder (default: the script's or program's name with .trace)", cxxopts::value<std::string>(), "DIR")(
      "simulate", "Run code that says cuda on the simulated device")(
      "data", "Which elements to keep: none, index (integers, and what makes a device assert fail), all", cxxopts::value<std::string>()->default_value("index"),
      "KIND")("time", "End the command after so many seconds: a hang", cxxopts::value<double>(), "SECONDS");
  options.custom_help("[OPTION...] -- COMMAND [ARG...]");   // no option of ours: cxxopts would not show it otherwise
  const int own = count_own_words(argc, argv);
  cxxopts::ParseResult parsed;
  if (const auto status = parse_options(options, "record", "minrepro record --simulate -- python train.py", own, argv, parsed)) return *status;

  RecordRequest request;
  request.simulate = parsed.count("simulate") > 0;
  request.data = parsed["data"].as<std::string>();
  if (request.data != "none" && request.data != "index" && request.data != "all")
    return complain("record", fmt::format("--data is '{}'; it can be none, index or all", request.data));
  const bool has_separator = own < argc && std::string_view(argv[own]) == "--";
  request.words.assign(argv + own + (has_separator ? 1 : 0), argv + argc);
  if (request.words.empty()) return complain("record", "which command? for example: minrepro record -- python train.py");
  std::optional<double> seconds;
  if (parsed.count("time") > 0) {
    seconds = parsed["time"].as<double>();
    if (const Status positive = check_time(*seconds); !positive) return complain("record", positive.error().message);
  }

  const Result<Parts> parts = find_parts();
  if (!parts) return complain("record", parts.error().message);
  std::error_code code;
  const std::string folder = parsed.count("output") > 0 ? parsed["output"].as<std::string>() : default_trace_name(request.words);
  request.folder = fs::absolute(folder, code).lexically_normal().string();
  while (request.folder.size() > 1 && request.folder.ends_with('/')) request.folder.pop_back();
  Result<ChildCommand> command = recorded_command(request, *parts);
  if (!command) return complain("record", command.error().message);
  command->seconds = seconds;
  if (const Status ready = prepare_trace_folder(request.folder); !ready) return complain("record", ready.error().message);

  const Result<ChildEnd> end = run_child(*command);
  if (!end) return complain("record", end.error().message);
  const RunInfo info{.command = request.words, .pid = end->pid, .wait_status = end->wait_status, .timed_out = end->timed_out, .simulated = request.simulate,
                     .seconds = end->seconds, .minrepro_version = kVersion};
  if (const Status written = write_run_info(request.folder, info); !written) fmt::print(stderr, "minrepro record: {}\n", written.error().message);
  const int status = exit_status_of(*end);
  print_summary(request, status);
  return status;
}

}  // namespace minrepro
