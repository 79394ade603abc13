// Questions a second that one worker answers for a gather with a bad index: oracle_bench inprocess|contained JOBS COUNT. Prints the figure alone.
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/files.h"
#include "harness/oracle/oracle.h"
#include "harness/program/text_form.h"

namespace {
using namespace minrepro;

Result<Program> bad_gather(std::string_view device) {
  return program_from_text(fmt::format(
      R"({{"minrepro_program": 1, "device": "{}", "leaves": [{{"id": 0, "dtype": "float32", "shape": [2, 5], "constant": 1.0}},
          {{"id": 1, "dtype": "int64", "shape": [2, 1], "values": [0, 7]}}],
          "calls": [{{"op": "aten::gather", "args": {{"self": {{"tensor": 0}}, "dim": 1, "index": {{"tensor": 1}}}}, "results": [2]}}]}})", device));
}

Result<double> questions_per_second(bool contained, int jobs, std::size_t count) {
  WorkerOptions options;
  const std::string build = std::filesystem::path(executable_folder()).parent_path().string();
  options.worker = build + "/minrepro-worker";
  options.sim_library = build + "/libminrepro_sim.so";
  options.jobs = jobs;
  const bool sim = std::filesystem::exists(options.sim_library);
  auto worker = Worker::start(options);
  if (!worker) return worker.error();
  auto program = bad_gather(sim ? "sim" : "cpu");
  if (!program) return program.error();
  RunLimits limits;
  limits.contained = contained;
  auto ask = [&](std::size_t n) -> Status {
    const std::vector<Program> programs(n, *program);
    auto outcomes = (*worker)->run(programs, limits);
    if (!outcomes) return outcomes.error();
    for (const Outcome& outcome : *outcomes)
      if (outcome.kind != (sim ? FailureKind::kDeviceAssert : FailureKind::kException)) return Error{"the gather ends otherwise: " + to_text(signature_of(outcome))};
    return {};
  };
  if (Status warm = ask(std::min<std::size_t>(count, 50)); !warm) return warm.error();
  const auto start = std::chrono::steady_clock::now();
  if (Status status = ask(count); !status) return status.error();
  return static_cast<double>(count) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || number(argv[2]) < 1 || number(argv[3]) < 1) {
    fmt::print(stderr, "usage: oracle_bench inprocess|contained JOBS COUNT\n");
    return 2;
  }
  auto figure = questions_per_second(std::string_view(argv[1]) == "contained", number(argv[2]), static_cast<std::size_t>(number(argv[3])));
  if (!figure) {
    fmt::print(stderr, "oracle_bench: {}\n", figure.error().message);
    return 1;
  }
  fmt::print("{:.1f}\n", *figure);
}
