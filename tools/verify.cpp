#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/emit/build_and_run.h"
#include "tools/command_line.h"
#include "tools/device.h"
#include "tools/interrupt.h"
#include "tools/parts.h"
#include "tools/progress.h"
#include "tools/repro_folder.h"

namespace minrepro {
namespace {

nlohmann::json json_of(const BuildAndRun& ran, const VerifyExpectation& expected, int same) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Outcome& outcome : ran.outcomes) runs.push_back(to_json(signature_of(outcome)));
  return {{"built", ran.built}, {"build_error", ran.build_error}, {"device", expected.device}, {"expected", to_json(expected.signature)}, {"runs", std::move(runs)},
          {"failed_same", same}, {"verified", ran.built && same > 0 && same == static_cast<int>(ran.outcomes.size())}};
}

}  // namespace

int verify_command(int argc, char** argv) {
  cxxopts::Options options("minrepro verify", "Builds a reduced program in a clean folder, with nothing but LibTorch and CMake, and runs it in fresh processes. "
                                              "Exit status 0: each run failed as reduction.json says.");
  options.add_options()("device", "sim, cpu or cuda; default: the one it was reduced on", cxxopts::value<std::string>(), "D")(
      "repeat", "How often to run it", cxxopts::value<int>()->default_value("3"), "N")("json", "The result as one JSON document")(
      "folder", "A folder that minrepro reduce wrote", cxxopts::value<std::string>());
  options.parse_positional("folder");
  options.positional_help("DIR");
  cxxopts::ParseResult parsed;
  if (const auto status = parse_options(options, "verify", "minrepro verify train.repro", argc, argv, parsed)) return *status;
  if (parsed.count("folder") == 0) return complain("verify", "which folder? see minrepro verify --help");
  const std::string folder = parsed["folder"].as<std::string>();
  Result<VerifyExpectation> expected = read_reduction(folder);
  if (!expected) return complain("verify", expected.error().message);
  if (parsed.count("device")) expected->device = parsed["device"].as<std::string>();
  if (const Status known = check_device(expected->device); !known) return complain("verify", known.error().message);
  const int repeats = parsed["repeat"].as<int>();
  if (repeats < 1 || repeats > 10'000) return complain("verify", "--repeat wants a number from 1 to 10000");
  if (expected->device == "cuda" && !has_gpu()) {
    fmt::print("not verified on CUDA: there is no GPU here\n");
    return kNotDone;
  }
  const Result<Parts> parts = find_parts();
  if (!parts) return complain("verify", parts.error().message);

  catch_interrupts();
  const StopCondition stop(std::numeric_limits<double>::infinity(), &interrupted());
  Progress progress;
  BuildAndRunRequest request{.folder = folder, .torch_dir = parts->torch_dir, .device = expected->device, .sim_library = parts->sim_library, .repeats = repeats};
  if (expected->signature.kind == FailureKind::kHang) request.seconds = kHangRunSeconds;
  request.on_step = [&](std::string_view step) { progress.show(fmt::format("{}: {}", folder, step)); };
  request.stop = &stop;
  const Result<BuildAndRun> ran = build_and_run(request);
  progress.clear();
  if (!ran) return complain("verify", ran.error().message);
  if (ran->interrupted) {
    fmt::print(stderr, "minrepro verify: interrupted\n");
    return kNotDone;
  }
  int same = 0;
  for (const Outcome& outcome : ran->outcomes) same += shows(outcome, expected->signature);
  const bool verified = ran->built && same == repeats;
  if (parsed.count("json")) {
    fmt::print("{}\n", json_of(*ran, *expected, same).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return verified ? kDone : kNotDone;
  }
  if (!ran->built) {
    fmt::print("NOT verified: it does not build: {}\n", ran->build_error);
    return kNotDone;
  }
  const std::string cuda = expected->device == "sim" ? "; not verified on CUDA (no GPU was used)" : "";
  fmt::print("expected: {}\n", to_text(expected->signature));
  if (verified) {
    fmt::print("verified: built in a clean folder, {} of {} runs fail the same way on {}{}\n", same, repeats, expected->device, cuda);
    return kDone;
  }
  for (std::size_t i = 0; i < ran->outcomes.size(); ++i)
    if (!shows(ran->outcomes[i], expected->signature)) fmt::print("run {}: {}\n", i + 1, to_text(signature_of(ran->outcomes[i])));
  fmt::print("NOT verified: {} of {} runs fail the same way on {}\n", same, repeats, expected->device);
  return kNotDone;
}

}  // namespace minrepro
