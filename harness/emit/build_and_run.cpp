#include "harness/emit/build_and_run.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cstdlib>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/failure/transcript.h"

namespace minrepro {
namespace {

constexpr double kMostBuildSeconds = 900;

bool ended_well(const ProcessEnd& end) { return WIFEXITED(end.wait_status) && WEXITSTATUS(end.wait_status) == 0; }

std::string trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1));
}

/// The first line that says "error", without the folder's name; else the last line.
std::string first_error(const std::string& log, const std::string& folder) {
  std::string last;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    std::string line = trimmed(std::string_view(log).substr(at, end - at));
    if (const std::size_t found = line.find(folder + "/"); found != std::string::npos) line.erase(found, folder.size() + 1);
    const bool is_error = line.find("error:") != std::string::npos || line.find("Error") != std::string::npos || line.find("undefined reference") != std::string::npos;
    if (is_error) {
      // CMake says what is wrong in the lines after "CMake Error at …:".
      const std::size_t next = log.find_first_not_of(" \r\n", end);
      if (line.starts_with("CMake Error") && next != std::string::npos) line += " " + trimmed(std::string_view(log).substr(next, log.find('\n', next) - next));
      return line;
    }
    if (!line.empty()) last = line;
    at = end + 1;
  }
  return last;
}

std::string preload_of(const std::string& library) {
  const char* rest = std::getenv("LD_PRELOAD");
  return rest && *rest ? library + ":" + rest : library;
}

}  // namespace

Result<BuildAndRun> build_and_run(const BuildAndRunRequest& request) {
  Result<TemporaryFolder> made = TemporaryFolder::create("minrepro-verify");
  if (!made) return made.error();
  const std::string clean = made->path();
  for (const char* name : {"repro.cpp", "CMakeLists.txt"}) {
    Result<std::string> text = read_file(request.folder + "/" + name);
    if (!text) return text.error();
    if (const Status written = write_file(clean + "/" + name, *text); !written) return written.error();
  }
  const auto step = [&](const std::string& text) {
    if (request.on_step) request.on_step(text);
  };

  BuildAndRun result;
  step("building");
  std::vector<std::string> configure = {"cmake", "-S", clean, "-B", clean + "/build", "-DTORCH_DIR=" + request.torch_dir};
  // CMake's own choice is make, and it does not look for another.
  if (std::getenv("CMAKE_GENERATOR") == nullptr && !find_program("make") && find_program("ninja")) configure.insert(configure.end(), {"-G", "Ninja"});
  const std::vector<std::vector<std::string>> commands = {configure, {"cmake", "--build", clean + "/build"}};
  for (const auto& words : commands) {
    Result<ProcessEnd> end = run_process({.words = words, .seconds = kMostBuildSeconds, .stop = request.stop});
    if (!end) return Error{end.error().message + "; verifying a repro needs CMake and a C++ compiler"};
    result.interrupted = end->interrupted;
    if (end->interrupted) return result;
    if (ended_well(*end)) continue;
    result.build_log = end->output + end->error;
    result.build_error = end->timed_out ? fmt::format("still building after {} s", kMostBuildSeconds) : first_error(result.build_log, clean);
    return result;
  }
  result.built = true;

  ProcessRequest run{.words = {clean + "/build/repro", request.device}, .folder = clean, .seconds = request.seconds, .stop = request.stop};
  if (request.device == "sim") run.environment["LD_PRELOAD"] = preload_of(request.sim_library);
  for (int i = 0; i < request.repeats; ++i) {
    step(fmt::format("run {} of {}", i + 1, request.repeats));
    Result<ProcessEnd> end = run_process(run);
    if (!end) return end.error();
    result.interrupted = end->interrupted;
    if (end->interrupted) return result;
    if (i == 0) result.output = end->error;
    Outcome outcome = outcome_of_process(end->wait_status, end->timed_out, end->error);
    outcome.seconds = end->seconds;
    result.outcomes.push_back(std::move(outcome));
  }
  return result;
}

bool shows(const Outcome& outcome, const Signature& wanted) {
  const Signature seen = signature_of(outcome);
  if (seen.kind != wanted.kind || (!outcome.op.empty() && seen.op != wanted.op)) return false;
  const bool names_no_kernel = seen.kind == FailureKind::kIllegalAccess && seen.detail.empty();
  return names_no_kernel || seen.detail == wanted.detail;
}

}  // namespace minrepro
