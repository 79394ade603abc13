#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/emit/build_and_run.h"
#include "harness/program/validate.h"
#include "reducers/reducer.h"
#include "tools/command_line.h"
#include "tools/device.h"
#include "harness/base/grouped.h"
#include "harness/trace/summary.h"
#include "tools/input.h"
#include "tools/interrupt.h"
#include "tools/parts.h"
#include "tools/progress.h"
#include "tools/repro_folder.h"
#include "tools/signature_question.h"
#include "tools/starting_point.h"

namespace minrepro {
namespace fs = std::filesystem;

namespace {

constexpr double kQuestionSeconds = 20;
/// A program that hangs costs its time limit with every "yes": long enough that a loaded machine does not make a slow call look like one.
constexpr double kHangQuestionSeconds = 3;
constexpr int64_t kTensorRoom = int64_t{128} << 20;   ///< bytes; a repro's own heap is some 10 MiB
constexpr int kRepeats = 3;

struct ReduceRequest {
  std::string input;
  std::string folder;
  std::string device;                     ///< empty: as the input says
  std::vector<std::string> libraries;
  int jobs = 2;
  double seconds = INFINITY;
  bool json = false;
  bool verify = true;
};

/// Where the failing call ran, as its tensors say it.
std::string device_of(const Trace& trace, const TraceFailure& failure) {
  bool on_device = false;
  const auto look = [&](const std::vector<Value>& args) {
    for (const Value& arg : args)
      for (const int id : tensors_in(arg))
        if (const std::string& device = trace.tensors[static_cast<std::size_t>(id)].device; device.starts_with("cuda") || device.starts_with("sim")) on_device = true;
    for (const Value& arg : args)
      if (const auto* device = arg.get_if<DeviceValue>(); device && (device->name.starts_with("cuda") || device->name.starts_with("sim"))) on_device = true;
  };
  look(trace.calls[static_cast<std::size_t>(failure.call)].args);
  for (const TraceViolation& violation : trace.violations)
    if (violation.call == failure.call) look(violation.args);
  if (!on_device) return "cpu";
  return trace.simulated || !has_gpu() ? "sim" : "cuda";
}

std::string environment_text() {
  std::string text;
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);)
    if (line.starts_with("PRETTY_NAME=\"") && line.ends_with('"')) text = line.substr(13, line.size() - 14);
  if (const std::string compiler = output_of({"c++", "--version"}, 10); !compiler.empty()) text += (text.empty() ? "" : ", ") + compiler.substr(0, compiler.find('\n'));
  return text;
}

class ReduceCommand {
 public:
  explicit ReduceCommand(ReduceRequest request) : request_(std::move(request)), stop_(request_.seconds, &interrupted()) {}

  int run() {
    if (const auto status = prepare()) return *status;
    catch_interrupts();
    if (const auto status = start()) return *status;
    say(fmt::format("proving the failure   {} of {} runs, {}  ({}, inputs {})", point_->runs, point_->runs, to_text(point_->signature), point_->scope, point_->inputs));
    if (const auto status = reduce_it()) return *status;
    if (const Status written = emit_and_verify(); !written) return complain("reduce", written.error().message);
    print_result();
    return report_.verified || !request_.verify || verification_stopped_ ? kDone : kNotDone;
  }

 private:
  /// Everything that can be wrong before the first process is started.
  std::optional<int> prepare() {
    const Result<Parts> parts = find_parts();
    if (!parts) return complain("reduce", parts.error().message);
    parts_ = *parts;
    Result<OpCatalog> catalog = read_catalog(parts_.catalog);
    if (!catalog) return complain("reduce", catalog.error().message);
    catalog_ = std::move(*catalog);
    Result<Input> input = read_input(request_.input);
    if (!input) return complain("reduce", input.error().message);
    input_ = std::move(*input);
    if (input_.trace) {
      for (const Schema& schema : input_.trace->ops)
        if (!catalog_.find(schema.name)) catalog_.add(schema);
      failure_ = failure_of(*input_.trace);
      if (!failure_) {
        fmt::print(stderr, "minrepro reduce: nothing to reduce: {}\n", summary_of(*input_.trace, fs::current_path().string()).front());
        return kNotDone;
      }
      if (request_.device.empty()) request_.device = device_of(*input_.trace, *failure_);
    } else {
      if (request_.device.empty()) request_.device = input_.program->device;
      input_.program->device = request_.device;
      if (const Status valid = validate(*input_.program, catalog_); !valid) return complain("reduce", fmt::format("{}: {}", request_.input, valid.error().message));
    }
    if (request_.folder.empty()) request_.folder = default_folder();
    if (const Status ready = prepare_repro_folder(request_.folder); !ready) return complain("reduce", ready.error().message);
    return std::nullopt;
  }

  std::string default_folder() const {
    fs::path path = request_.input;
    if (!path.has_filename()) path = path.parent_path();
    // A program is in the folder of its repro: reducing it again must not overwrite what it was made from.
    if (path.filename() == "program.json" && path.has_parent_path()) path = path.parent_path();
    const std::string name = path.stem().string() + (path.extension() == ".repro" ? ".again" : "") + ".repro";
    return (path.has_parent_path() ? path.parent_path() / name : fs::path(name)).string();
  }

  std::optional<int> start() {
    progress_.show("loading LibTorch");
    Result<std::unique_ptr<Worker>> worker = Worker::start({parts_.worker, parts_.sim_library, request_.libraries, request_.jobs});
    if (!worker) return complain("reduce", worker.error().message);
    worker_ = std::move(*worker);
    const bool hangs = failure_ && failure_->kind == name_of(FailureKind::kHang);
    limits_.seconds = hangs ? kHangQuestionSeconds : kQuestionSeconds;
    progress_.show("proving the failure");
    Result<StartingPoint> point = input_.trace ? find_starting_point(*input_.trace, *failure_, catalog_, *worker_, request_.device, limits_, stop_)
                                               : starting_point_of_program(*input_.program, *worker_, limits_);
    if (!point) {
      fmt::print(stderr, "minrepro reduce: {}\n", point.error().message);
      return kNotDone;
    }
    point_ = std::move(*point);
    return demand_a_crash_in_any_heap();
  }

  /// An access that is out of bounds by a little crashes or not, as the heap happens to lie. If the failure goes beyond that, each smaller program has to.
  std::optional<int> demand_a_crash_in_any_heap() {
    if (point_->signature.kind != FailureKind::kSignal || (point_->signature.detail != "SIGSEGV" && point_->signature.detail != "SIGBUS")) return std::nullopt;
    RunLimits roomy = limits_;
    roomy.tensor_room = kTensorRoom;
    const Result<std::vector<Outcome>> outcomes = worker_->run({&point_->program, 1}, roomy);
    if (!outcomes) return complain("reduce", outcomes.error().message);
    if (signature_of(outcomes->front()) == point_->signature) limits_ = roomy;
    return std::nullopt;
  }

  std::optional<int> reduce_it() {
    report_.calls_before = static_cast<int64_t>(input_.trace ? input_.trace->calls.size() : input_.program->calls.size());
    report_.elements_before = point_->elements_before;
    SignatureQuestion question(*worker_, point_->outcome, limits_, request_.jobs);
    ReduceOptions options;
    options.on_step = [&](const ReductionStep& step) {
      progress_.show(fmt::format("calls {} ▸ {}   elements {} ▸ {}   {} questions   {}", grouped(report_.calls_before), step.program->calls.size(),
                                 grouped(report_.elements_before), grouped(count_elements(*step.program)), step.questions, step.pass));
    };
    const Reduction reduction = reduce(point_->program, point_->result_metas, catalog_, question, stop_, options);
    program_ = reduction.program;
    by_findings_ = question.by_findings();
    report_.passes = reduction.accepted;
    report_.minimal = reduction.end == ReductionEnd::kMinimal;
    switch (reduction.end) {
      case ReductionEnd::kMinimal: report_.end = "minimal"; break;
      case ReductionEnd::kOutOfBudget: report_.end = "out of time"; break;
      case ReductionEnd::kInterrupted: report_.end = "interrupted"; break;
      case ReductionEnd::kBroken: report_.end = reduction.error; break;
    }
    // Proved again on the result: its outcome is what the texts speak of.
    outcome_ = point_->outcome;
    if (reduction.end != ReductionEnd::kBroken) {
      const Result<std::vector<Outcome>> outcomes = worker_->run({&program_, 1}, limits_);
      if (outcomes && signature_of(outcomes->front()) == point_->signature) outcome_ = outcomes->front();
    }
    report_.calls_after = static_cast<int64_t>(program_.calls.size());
    report_.elements_after = count_elements(program_);
    report_.oracle_calls = worker_->programs_run();
    report_.seconds = stop_.elapsed();
    report_.source = request_.input;
    report_.device = request_.device;
    report_.inputs = point_->inputs;
    report_.scope = point_->scope;
    report_.signature = point_->signature;
    report_.violation = outcome_.message;
    report_.torch = catalog_.torch_version();
    worker_.reset();
    return std::nullopt;
  }

  Expectation expectation() const {
    Expectation e;
    e.signature = report_.signature;
    if (outcome_.kind == FailureKind::kDeviceAssert || outcome_.kind == FailureKind::kIllegalAccess) e.violation_text = outcome_.message;
    e.rule = find_rule(outcome_.rule);
    e.file = outcome_.file;
    e.expression = outcome_.expression;
    e.torch_version = report_.torch;
    e.exception_type = outcome_.exception_type;
    e.message = outcome_.message;
    e.simulated = request_.device == "sim";
    e.repeats = report_.runs;
    e.failed = report_.failed_same;
    e.output = output_;
    e.environment = environment_;
    e.libraries = request_.libraries;
    return e;
  }

  /// Writes the folder, verifies it, and writes it again with what the verification showed. The report comes last: a folder with one is complete.
  Status emit_and_verify() {
    environment_ = environment_text();
    const double start = stop_.elapsed();
    std::string why = request_.verify ? "" : "--no-verify was given";
    for (const auto& [style, name] : {std::pair{EmitStyle::kReadable, "readable"}, std::pair{EmitStyle::kDispatcher, "dispatcher"}}) {
      report_.style = name;
      if (const Status written = write_program(request_.folder, program_, catalog_, expectation(), style); !written) return written;
      if (!request_.verify) break;
      const Result<BuildAndRun> ran = build_and_run_here();
      if (!ran) return ran.error();
      verification_stopped_ = ran->interrupted;
      if (verification_stopped_) {
        why = "interrupted";
        break;
      }
      report_.runs = static_cast<int>(ran->outcomes.size());
      report_.failed_same = static_cast<int>(std::count_if(ran->outcomes.begin(), ran->outcomes.end(), [&](const Outcome& o) { return shows(o, report_.signature); }));
      report_.verified = ran->built && report_.runs > 0 && report_.failed_same == report_.runs;
      output_ = ran->output;
      if (report_.verified) break;
      const std::string reason = !ran->built ? "it does not build: " + ran->build_error
                                             : fmt::format("{} of {} runs failed the same way; the first run: {}", report_.failed_same, report_.runs,
                                                           to_text(signature_of(ran->outcomes.front())));
      why += fmt::format("{}{} program: {}", why.empty() ? "" : "; ", name, reason);
    }
    if (report_.verified) report_.verified_on = request_.device;
    else report_.not_verified = why;
    report_.verify_seconds = stop_.elapsed() - start;
    const EmitStyle style = report_.style == "readable" ? EmitStyle::kReadable : EmitStyle::kDispatcher;
    if (const Status written = write_program(request_.folder, program_, catalog_, expectation(), style); !written) return written;
    if (const Status written = write_by_findings(request_.folder, by_findings_, catalog_); !written) return written;
    return write_report(request_.folder, report_);
  }

  Result<BuildAndRun> build_and_run_here() {
    BuildAndRunRequest run{.folder = request_.folder, .torch_dir = parts_.torch_dir, .device = request_.device, .sim_library = parts_.sim_library, .repeats = kRepeats};
    if (report_.signature.kind == FailureKind::kHang) run.seconds = kHangRunSeconds;
    run.on_step = [&](std::string_view step) { progress_.show(fmt::format("verifying: {}", step)); };
    run.stop = &stop_;
    return build_and_run(run);
  }

  void print_result() {
    progress_.clear();
    if (request_.json) {
      fmt::print("{}\n", to_json(report_).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    fmt::print("calls   {} ▸ {}      elements {} ▸ {}      {} questions      {:.1f} s{}\n", grouped(report_.calls_before), report_.calls_after,
               grouped(report_.elements_before), grouped(report_.elements_after), grouped(report_.oracle_calls), report_.seconds,
               report_.minimal ? "" : fmt::format("      not minimal: {}", report_.end));
    if (!outcome_.message.empty()) fmt::print("{}: {}\n", report_.signature.op, outcome_.message.substr(0, outcome_.message.find('\n')));
    const std::string cuda = request_.device == "sim" ? "; not verified on CUDA (no GPU was used)" : "";
    if (report_.verified)
      fmt::print("verified: built in a clean folder, {} of {} runs fail the same way on {}{}\n", report_.failed_same, report_.runs, request_.device, cuda);
    else
      fmt::print("NOT verified: {}{}\n", report_.not_verified, cuda);
    if (!by_findings_.empty())
      fmt::print("{}/other holds {} program{} that failed in another way\n", request_.folder, by_findings_.size(), by_findings_.size() == 1 ? "" : "s");
    fmt::print("{}/repro.cpp   the program        {}/ISSUE.md   ready to paste\n", request_.folder, request_.folder);
  }

  void say(const std::string& line) {
    progress_.clear();
    fmt::print(stderr, "{}\n", line);
  }

  ReduceRequest request_;
  StopCondition stop_;
  Progress progress_;
  Parts parts_;
  OpCatalog catalog_;
  Input input_;
  std::optional<TraceFailure> failure_;
  std::unique_ptr<Worker> worker_;
  RunLimits limits_;
  std::optional<StartingPoint> point_;
  Program program_;
  Outcome outcome_;
  std::map<std::string, ByFinding> by_findings_;
  ReductionReport report_;
  bool verification_stopped_ = false;
  std::string output_;
  std::string environment_;
};

int list_passes() {
  for (const PassRow& pass : pass_table()) fmt::print("{}  {:<18} {}\n", pass.tier, pass.name, pass.summary);
  return kDone;
}

}  // namespace

int reduce_command(int argc, char** argv) {
  cxxopts::Options options("minrepro reduce", "Makes the smallest program that still fails the same way, as a folder with repro.cpp, and verifies it.");
  options.add_options()("o,output", "Folder to write (default: the input's name with .repro)", cxxopts::value<std::string>(), "DIR")(
      "device", "sim, cpu or cuda; default: where the failing call ran", cxxopts::value<std::string>(), "D")(
      "load", "Libraries with custom operators, loaded first", cxxopts::value<std::vector<std::string>>(), "LIBRARY.so")(
      "jobs", "Programs to run at once", cxxopts::value<int>()->default_value("2"), "N")(
      "time", "Stop reducing after so many seconds, with the best so far", cxxopts::value<double>(), "SECONDS")(
      "no-verify", "Do not build and run the result")("json", "The report as one JSON document")("list-passes", "Show the ways to make a program simpler, in their order")(
      "input", "A trace folder or a program file", cxxopts::value<std::string>());
  options.parse_positional("input");
  options.positional_help("TRACE|PROGRAM");
  cxxopts::ParseResult parsed;
  if (const auto status = parse_options(options, "reduce", "minrepro reduce train.trace", argc, argv, parsed)) return *status;
  if (parsed.count("list-passes")) return list_passes();
  if (parsed.count("input") == 0) return complain("reduce", "which trace or program? see minrepro reduce --help");

  ReduceRequest request;
  request.input = parsed["input"].as<std::string>();
  if (parsed.count("output")) request.folder = parsed["output"].as<std::string>();
  if (parsed.count("device")) request.device = parsed["device"].as<std::string>();
  if (!request.device.empty())
    if (const Status known = check_device(request.device); !known) return complain("reduce", known.error().message);
  if (request.device == "cuda" && !has_gpu()) return complain("reduce", "there is no GPU here; --device sim runs the program on the simulated device");
  if (parsed.count("load")) request.libraries = parsed["load"].as<std::vector<std::string>>();
  request.jobs = parsed["jobs"].as<int>();
  if (request.jobs < 1 || request.jobs > 1024) return complain("reduce", "--jobs wants a number from 1 to 1024");
  if (parsed.count("time")) {
    request.seconds = parsed["time"].as<double>();
    if (const Status positive = check_time(request.seconds); !positive) return complain("reduce", positive.error().message);
  }
  request.json = parsed.count("json") > 0;
  request.verify = parsed.count("no-verify") == 0;
  return ReduceCommand(std::move(request)).run();
}

}  // namespace minrepro
