#include "harness/torch/sim/device_assert.h"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "harness/asserts/evaluate.h"
#include "harness/torch/check/call_view.h"
#include "harness/torch/check/violation_event.h"
#include "harness/torch/sim/garbage.h"
#include "harness/torch/sim/launch_state.h"

namespace minrepro::sim {
namespace {

constexpr int kPrintedThreads = 8;
constexpr const char* kSourceFolder = "/pytorch/aten/src/ATen/native/cuda/";  // as the wheels' kernels name it

void print_thread(const Printed& printed, std::string_view expression, int64_t thread) {
  fmt::print(stderr, "{}{}:{}: {}: block: [0,0,0], thread: [{},0,0] Assertion `{}` failed.\n", kSourceFolder, printed.file, printed.line,
             printed.function, thread, expression);
}

/// CUDA's lines, one for each of the first offending elements (it has none for an access that no kernel checks), then ours.
void print_violation(const OpTraits& traits, const Violation& violation, const CallView& call) {
  const AssertRule& rule = *violation.rule;
  if (rule.on_cuda == OnCuda::kAsserts) {
    const std::string expression = printed_expression(violation, call);
    std::vector<int64_t> threads = offending_elements(rule, violation, call, kPrintedThreads);
    if (threads.empty()) threads.push_back(0);  // a row as a whole offends
    for (int64_t thread : threads) print_thread(violation.printed, expression, thread);
  }
  fmt::print(stderr, "minrepro-sim: (simulated) in {}: {}: {}{}\n", traits.name, rule.id, violation.text,
             rule.on_cuda == OnCuda::kAsserts ? "" : fmt::format("; {} has no assertion and goes outside of its memory", rule.function));
  std::fflush(stderr);
}

void tell_recorder(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments, const Violation& violation) {
  using Record = decltype(&minrepro_record_violation);
  // Looked up each time: the recorder may be loaded after us, and a device is poisoned once.
  const auto record = reinterpret_cast<Record>(dlsym(RTLD_DEFAULT, "minrepro_record_violation"));
  if (record == nullptr) return;
  const ViolationEvent event{.schema = &schema, .arguments = arguments, .violation = &violation};
  record(&event);
}

/// CUDA says nothing of it and goes on; one line, once for each rule, says what was seen.
void note_silent(const OpTraits& traits, const Violation& violation) {
  static std::mutex* mutex = new std::mutex;
  static auto* noted = new std::set<const AssertRule*>;
  std::lock_guard<std::mutex> lock(*mutex);
  if (!noted->insert(violation.rule).second) return;
  fmt::print(stderr, "minrepro-sim: note: in {}: {}; CUDA's kernel gives a wrong result without a word (rule {})\n", traits.name, violation.text,
             violation.rule->id);
}

}  // namespace

std::optional<PendingAssert> enforce_rules(const OpTraits& traits, const std::vector<const AssertRule*>& rules, const c10::FunctionSchema& schema,
                                            torch::jit::Stack* stack, std::size_t base) {
  std::optional<PendingAssert> pending;
  const bool was_poisoned = is_poisoned();
  const c10::ArrayRef<c10::IValue> arguments = c10::ArrayRef<c10::IValue>(*stack).slice(base);
  const SchemaCallView call(schema, arguments);
  for (const AssertRule* rule : rules) {
    if (!was_poisoned && !pending) {
      std::optional<Violation> violation = check(*rule, call);
      if (!violation) continue;
      if (rule->on_cuda == OnCuda::kSilent) note_silent(traits, *violation);
      else pending = PendingAssert{std::move(*violation), arguments.vec()};
    }
    if (rule->on_cuda == OnCuda::kSilent && rule->same_on_cpu) continue;
    if (make_valid(*rule, schema, stack, base)) continue;
    if (pending) report_assert(traits, schema, *pending);
    if (is_poisoned()) raise_sticky_error();
    TORCH_CHECK(false, "the simulated device cannot go on: ", traits.name, " has no valid value for what rule ", std::string(rule->id), " checks");
  }
  return pending;
}

void report_assert(const OpTraits& traits, const c10::FunctionSchema& schema, const PendingAssert& pending) {
  const Violation& violation = pending.violation;
  const SchemaCallView call(schema, pending.arguments);
  print_violation(traits, violation, call);
  tell_recorder(schema, pending.arguments, violation);
  poison_device({.op = traits.name, .rule = violation.rule, .text = violation.text, .printed = violation.printed, .expression = printed_expression(violation, call)});
}

}  // namespace minrepro::sim
