#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "harness/failure/failure.h"
#include "harness/oracle/oracle.h"
#include "harness/program/validate.h"
#include "tools/command_line.h"
#include "tools/device.h"
#include "tools/input.h"
#include "tools/parts.h"

namespace minrepro {

int run_command(int argc, char** argv) {
  cxxopts::Options options("minrepro run", "Runs a program once, in a process of its own, and says how it ends. Exit status 0: it ended well; 1: it failed.");
  options.add_options()("device", "sim, cpu or cuda; default: the program's own", cxxopts::value<std::string>(), "D")(
      "time", "Most seconds it may run", cxxopts::value<double>()->default_value("20"), "SECONDS")("json", "The outcome as one JSON document")("input", "A program file", cxxopts::value<std::string>());
  options.parse_positional("input");
  options.positional_help("PROGRAM");
  cxxopts::ParseResult parsed;
  if (const auto status = parse_options(options, "run", "minrepro run train.repro/program.json", argc, argv, parsed)) return *status;
  if (parsed.count("input") == 0) return complain("run", "which program? see minrepro run --help");

  const double seconds = parsed["time"].as<double>();
  if (const Status positive = check_time(seconds); !positive) return complain("run", positive.error().message);

  Result<Input> input = read_input(parsed["input"].as<std::string>());
  if (!input) return complain("run", input.error().message);
  if (!input->program) return complain("run", "that is a trace; minrepro reduce makes a program of it");
  Program& program = *input->program;
  if (parsed.count("device")) program.device = parsed["device"].as<std::string>();
  if (const Status known = check_device(program.device); !known) return complain("run", known.error().message);

  const Result<Parts> parts = find_parts();
  if (!parts) return complain("run", parts.error().message);
  const Result<OpCatalog> catalog = read_catalog(parts->catalog);
  if (!catalog) return complain("run", catalog.error().message);
  if (const Status valid = validate(program, *catalog); !valid) return complain("run", fmt::format("{}: {}", parsed["input"].as<std::string>(), valid.error().message));
  Result<std::unique_ptr<Worker>> worker = Worker::start({parts->worker, parts->sim_library, {}, 1});
  if (!worker) return complain("run", worker.error().message);
  RunLimits limits;
  limits.seconds = seconds;
  const Result<std::vector<Outcome>> outcomes = (*worker)->run({&program, 1}, limits);
  if (!outcomes) return complain("run", outcomes.error().message);
  const Outcome& outcome = outcomes->front();
  if (outcome.kind == FailureKind::kInvalid) return complain("run", outcome.message);
  if (parsed.count("json")) fmt::print("{}\n", to_json(outcome).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (outcome.kind == FailureKind::kNone) fmt::print("ended well on {} in {:.3f} s\n", program.device, outcome.seconds);
  else fmt::print("{}{}\n{}\n", to_text(signature_of(outcome)), program.device == "sim" ? " (simulated)" : "", outcome.message);
  return outcome.kind == FailureKind::kNone ? kDone : kNotDone;
}

}  // namespace minrepro
