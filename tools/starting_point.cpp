#include "tools/starting_point.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/asserts/rule.h"
#include "harness/slice/backward_slice.h"
#include "harness/slice/program_of_trace.h"
#include "reducers/synthesise.h"

namespace minrepro {
namespace {

constexpr int kProofs = 3;
constexpr std::size_t kLongestReplay = 20'000;   ///< calls

bool is_same_failure(const Outcome& outcome, const TraceFailure& wanted) {
  if (name_of(outcome.kind) != wanted.kind) return false;
  if (!wanted.rule.empty()) return outcome.rule == wanted.rule;
  return rule_name_of(outcome.op) == rule_name_of(wanted.op);
}

class Finder {
 public:
  Finder(const Trace& trace, const TraceFailure& failure, const OpCatalog& catalog, Worker& worker, const std::string& device, const RunLimits& limits,
         const StopCondition& stop)
      : trace_(trace), failure_(failure), catalog_(catalog), worker_(worker), device_(device), limits_(limits), stop_(stop) {}

  Result<StartingPoint> run() {
    const int culprit[] = {failure_.call};
    const Result<TraceProgram> alone = program_of_calls(trace_, culprit, device_);
    if (alone) {
      point_.elements_before = count_elements(alone->program);
      if (tries(*alone, "the failing call alone", "captured")) return point_;
    } else {
      tried_ += alone.error().message;
    }
    const std::vector<int> slice = backward_slice(trace_, failure_.call);
    Result<TraceProgram> sliced = slice.size() > kLongestReplay ? Result<TraceProgram>(Error{"too long to replay"}) : program_of_calls(trace_, slice, device_);
    if (sliced && !(alone && alone->unknown.empty())) {
      if (const auto replayed = with_replayed_inputs(*sliced); replayed && tries(*replayed, "the failing call alone", "replayed")) return point_;
    }
    if (alone)
      if (const auto made = synthesised(*alone); made && tries(*made, "the failing call alone", "synthesised")) return point_;
    for (const TraceViolation& violation : trace_.violations) {
      if (violation.call != failure_.call) continue;
      const Result<TraceProgram> kernel = program_of_violation(trace_, violation, catalog_, device_);
      if (!kernel) {
        tried_ += "; " + kernel.error().message;
        continue;
      }
      if (point_.elements_before == 0) point_.elements_before = count_elements(kernel->program);
      if (tries(*kernel, "the kernel's operator alone", "captured")) return point_;
      if (const auto made = synthesised(*kernel); made && tries(*made, "the kernel's operator alone", "synthesised")) return point_;
    }
    if (sliced && slice.size() > 1 && tries(*sliced, fmt::format("the slice of {} calls", slice.size()), "replayed")) return point_;
    if (const auto count = static_cast<std::size_t>(failure_.call) + 1; count > slice.size() && count <= kLongestReplay) {
      std::vector<int> all(count);
      std::iota(all.begin(), all.end(), 0);
      const Result<TraceProgram> everything = program_of_calls(trace_, all, device_);
      if (everything && tries(*everything, fmt::format("all {} calls", count), "replayed")) return point_;
    }
    if (error_) return *error_;
    return Error{fmt::format("the recorded failure ({} in {}) did not show again: {}", failure_.kind, failure_.op, tried_)};
  }

 private:
  /// Whether the program fails as recorded, each of kProofs times.
  bool tries(const TraceProgram& candidate, const std::string& scope, const std::string& inputs) {
    if (!error_ && stop_.should_stop())
      error_ = Error{fmt::format("{} before the recorded failure was shown again", stop_.interrupted() ? "interrupted" : "out of time")};
    if (error_) return false;
    const std::vector<Program> copies(kProofs, candidate.program);
    const Result<std::vector<Outcome>> outcomes = worker_.run(copies, limits_);
    if (!outcomes) {
      error_ = outcomes.error();
      return false;
    }
    for (const Outcome& outcome : *outcomes)
      if (!is_same_failure(outcome, failure_) || signature_of(outcome) != signature_of(outcomes->front())) {
        tried_ += fmt::format("{}{}, inputs {}: {}", tried_.empty() ? "" : "; ", scope, inputs,
                              outcome.kind == FailureKind::kInvalid ? outcome.message : to_text(signature_of(outcome)));
        return false;
      }
    point_.program = candidate.program;
    point_.result_metas = candidate.result_metas;
    point_.outcome = outcomes->front();
    point_.signature = signature_of(point_.outcome);
    point_.inputs = inputs;
    point_.scope = scope;
    point_.runs = kProofs;
    return true;
  }

  /// The failing call with the tensors that it gets when the slice before it runs again.
  std::optional<TraceProgram> with_replayed_inputs(const TraceProgram& sliced) {
    const int last = static_cast<int>(sliced.program.calls.size()) - 1;
    Result<std::map<int, CapturedTensor>> captured = worker_.capture(sliced.program, last, limits_);
    if (!captured) {
      tried_ += "; replaying the slice: " + captured.error().message;
      return std::nullopt;
    }
    TraceProgram alone;
    alone.program = sliced.program;
    alone.program.calls = {sliced.program.calls.back()};
    std::vector<int> used;
    for (const Argument& arg : alone.program.calls[0].args)
      for (const int id : tensors_in(arg.value)) used.push_back(id);
    for (const int id : used) {
      const auto found = captured->find(id);
      if (found == captured->end()) {
        if (alone.program.find_leaf(id)) continue;
        return std::nullopt;
      }
      Leaf* leaf = alone.program.find_leaf(id);
      if (leaf && !leaf->components.empty()) continue;
      if (!leaf) leaf = &alone.program.leaves.emplace_back();
      leaf->id = id;
      leaf->meta = found->second.meta;
      leaf->view.reset();
      leaf->is_wrapped_number = found->second.is_wrapped_number;
      leaf->fill = ValuesFill{std::make_shared<const std::vector<std::byte>>(std::move(found->second.data))};
      const std::string kind = found->second.device.substr(0, found->second.device.find(':'));
      if (kind == "cpu" && device_ != "cpu") leaf->device = kind;
    }
    alone.result_metas = sliced.result_metas;
    drop_unused_leaves(alone.program);
    return alone;
  }

  std::optional<TraceProgram> synthesised(const TraceProgram& from) {
    const AssertRule* rule = failure_.rule.empty() ? nullptr : find_rule(failure_.rule);
    if (!rule) return std::nullopt;
    std::optional<Program> program = with_violation(from.program, *rule, {catalog_, from.result_metas});
    if (!program) return std::nullopt;
    return TraceProgram{std::move(*program), from.result_metas, {}};
  }

  const Trace& trace_;
  const TraceFailure& failure_;
  const OpCatalog& catalog_;
  Worker& worker_;
  const std::string& device_;
  const RunLimits& limits_;
  const StopCondition& stop_;
  StartingPoint point_;
  std::string tried_;
  std::optional<Error> error_;
};

}  // namespace

Result<StartingPoint> find_starting_point(const Trace& trace, const TraceFailure& failure, const OpCatalog& catalog, Worker& worker,
                                          const std::string& device, const RunLimits& limits, const StopCondition& stop) {
  return Finder(trace, failure, catalog, worker, device, limits, stop).run();
}

Result<StartingPoint> starting_point_of_program(const Program& program, Worker& worker, const RunLimits& limits) {
  const std::vector<Program> copies(kProofs, program);
  const Result<std::vector<Outcome>> outcomes = worker.run(copies, limits);
  if (!outcomes) return outcomes.error();
  StartingPoint point;
  point.program = program;
  point.outcome = outcomes->front();
  point.signature = signature_of(point.outcome);
  point.inputs = "as given";
  point.scope = "the program as given";
  point.elements_before = count_elements(program);
  for (const Outcome& outcome : *outcomes) {
    if (outcome.kind == FailureKind::kInvalid) return Error{outcome.message};
    if (signature_of(outcome) == point.signature && outcome.kind != FailureKind::kNone) ++point.runs;
  }
  if (point.runs != kProofs)
    return Error{fmt::format("the program does not fail the same way each time: first run {}, last run {}", to_text(point.signature),
                             to_text(signature_of(outcomes->back())))};
  return point;
}

}  // namespace minrepro
