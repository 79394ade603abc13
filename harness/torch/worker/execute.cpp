#include "harness/torch/worker/execute.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <cxxabi.h>
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/failure/transcript.h"
#include "harness/oracle/frame.h"
#include "harness/program/validate.h"
#include "harness/torch/worker/arguments.h"
#include "harness/torch/worker/leaves.h"

namespace minrepro {
namespace {

/// "aten::gather.out" → {"aten::gather", "out"}.
c10::OperatorName operator_name(const std::string& op) {
  const std::size_t dot = op.find('.');
  return dot == std::string::npos ? c10::OperatorName(op, "") : c10::OperatorName(op.substr(0, dot), op.substr(dot + 1));
}

std::string type_of(const std::exception& error) {
  int status = 0;
  char* name = abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status);
  std::string type = name != nullptr ? name : typeid(error).name();
  std::free(name);
  return type;
}

/// What the exception in flight says, as an outcome.
Outcome outcome_of_exception() {
  Outcome outcome;
  outcome.kind = FailureKind::kException;
  try {
    throw;
  } catch (const c10::Error& error) {
    outcome.exception_type = type_of(error);
    outcome.message = error.what_without_backtrace();
  } catch (const std::exception& error) {
    outcome.exception_type = type_of(error);
    outcome.message = error.what();
  } catch (...) {
    outcome.message = "an exception that is no std::exception";
  }
  const FailureKind said = kind_of_error_text(outcome.message);
  const bool from_device = outcome.exception_type == "c10::AcceleratorError" || outcome.message.starts_with("CUDA error");
  if (said == FailureKind::kOutOfMemory || outcome.exception_type == "std::bad_alloc" || outcome.exception_type == "c10::OutOfMemoryError")
    outcome.kind = FailureKind::kOutOfMemory;
  else if (from_device && said != FailureKind::kNone)
    outcome.kind = said;
  return outcome;
}

class Run {
 public:
  Run(const Program& program, const Devices& devices, Progress& progress) : program_(program), devices_(devices), progress_(progress) {}

  /// Runs the first `count` calls and waits for the device.
  Outcome calls(std::size_t count, int64_t memory_bytes) {
    const c10::NoGradGuard no_grad;
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    Outcome outcome = prepare(count, memory_bytes);
    if (outcome.kind != FailureKind::kNone) return outcome;
    progress_.calls = static_cast<int>(count);
    for (std::size_t i = 0; i < count && outcome.kind == FailureKind::kNone; ++i) {
      progress_.call = static_cast<int>(i);
      outcome = one(i);
    }
    if (outcome.kind == FailureKind::kNone) {
      progress_.synchronizing = true;
      outcome = synchronize();
    }
    if (progress_.violation_call >= 0) return poisoned(outcome);
    return outcome;
  }

  const Tensors& tensors() const { return tensors_; }

 private:
  static Outcome invalid(std::string message, int call = -1) {
    Outcome outcome;
    outcome.kind = FailureKind::kInvalid;
    outcome.call = call;
    outcome.message = std::move(message);
    return outcome;
  }

  /// Everything that can be refused before an operator runs.
  Outcome prepare(std::size_t count, int64_t memory_bytes) {
    if (Status status = devices_.check(program_.device); !status) return invalid(status.error().message);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& op = program_.calls[i].op;
      auto found = c10::Dispatcher::singleton().findSchema(operator_name(op));
      if (opens_files(op)) return invalid(fmt::format("calls[{}]: {} opens files, which a program must not", i, op), static_cast<int>(i));
      if (!found) return invalid(fmt::format("calls[{}]: this torch has no operator '{}'", i, op), static_cast<int>(i));
      ops_.push_back(*found);
    }
    if (const int64_t bytes = bytes_of_leaves(program_); bytes > memory_bytes) {
      Outcome outcome;
      outcome.kind = FailureKind::kOutOfMemory;
      outcome.message = fmt::format("the leaves take {} bytes, the limit is {}", bytes, memory_bytes);
      return outcome;
    }
    try {
      if (Status status = make_leaves(program_, tensors_); !status) return invalid(status.error().message);
    } catch (...) {
      Outcome outcome = outcome_of_exception();
      if (outcome.kind == FailureKind::kException) outcome.kind = FailureKind::kInvalid;
      outcome.message = "leaves: " + outcome.message;
      return outcome;
    }
    return {};
  }

  Outcome one(std::size_t index) {
    const Call& call = program_.calls[index];
    const int position = static_cast<int>(index);
    auto arguments = arguments_of(call, ops_[index].schema(), program_.device, tensors_);
    if (!arguments) return invalid(fmt::format("calls[{}]: {}: {}", index, call.op, arguments.error().message), position);
    Outcome outcome;
    try {
      if (call.seed) at::manual_seed(*call.seed);
      ops_[index].callBoxed(*arguments);
      bind(call, *arguments);
      // CUDA names no culprit by itself: waiting after each call does.
      if (program_.device.starts_with("cuda")) devices_.synchronize(program_.device);
    } catch (...) {
      outcome = outcome_of_exception();
      outcome.call = outcome.symptom_call = position;
      outcome.op = call.op;
    }
    note_violation(position);
    return outcome;
  }

  void bind(const Call& call, const std::vector<c10::IValue>& results) {
    std::size_t next = 0;
    auto take = [&](const at::Tensor& tensor) {
      if (next >= call.results.size()) return;
      const int id = call.results[next++];
      if (id >= 0 && tensor.defined()) tensors_[id] = tensor;
    };
    for (const c10::IValue& result : results) {
      if (result.isTensor()) {
        take(result.toTensor());
      } else if (result.isTensorList()) {
        for (const at::Tensor& tensor : result.toTensorVector()) take(tensor);
      } else if (result.isOptionalTensorList()) {
        for (const auto& tensor : result.toOptionalTensorVector()) take(tensor.value_or(at::Tensor()));
      }
    }
  }

  void note_violation(int call) {
    if (progress_.violation_call >= 0) return;
    const auto violation = devices_.sim_violation();
    if (!violation) return;
    std::strncpy(progress_.violation, violation->c_str(), sizeof progress_.violation - 1);
    progress_.violation_call = call;
  }

  Outcome synchronize() {
    Outcome outcome;
    try {
      devices_.synchronize(program_.device);
    } catch (...) {
      outcome = outcome_of_exception();
      outcome.call = program_.calls.empty() ? -1 : static_cast<int>(program_.calls.size()) - 1;
      if (outcome.call >= 0) outcome.op = program_.calls.back().op;
    }
    return outcome;
  }

  /// The simulated device was poisoned: the violation is the failure, and whatever ended the run is where it surfaced.
  Outcome poisoned(const Outcome& end) const {
    Outcome outcome;
    outcome.call = progress_.violation_call;
    outcome.symptom_call = end.symptom_call;
    outcome.op = program_.calls[static_cast<std::size_t>(outcome.call)].op;
    outcome.exception_type = end.exception_type;
    fill_from_violation(progress_.violation, outcome);
    return outcome;
  }

  const Program& program_;
  const Devices& devices_;
  Progress& progress_;
  std::vector<c10::OperatorHandle> ops_;
  Tensors tensors_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::optional<Captured> copy_to_host(int id, const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_quantized()) return std::nullopt;
  if (tensor.numel() * static_cast<int64_t>(tensor.itemsize()) > kMaxCapturedBytes) return std::nullopt;
  Captured captured;
  captured.id = id;
  captured.meta.dtype = static_cast<DType>(tensor.scalar_type());
  captured.meta.sizes = tensor.sizes().vec();
  captured.meta.strides = tensor.strides().vec();
  captured.device = Devices::name_of(tensor.device());
  captured.is_wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  const at::Tensor host = tensor.resolve_conj().resolve_neg().to(at::kCPU).contiguous();
  captured.data.assign(static_cast<const char*>(host.const_data_ptr()), host.nbytes());
  return captured;
}

}  // namespace

void fill_from_violation(const std::string& json, Outcome& outcome) {
  const nlohmann::json violation = nlohmann::json::parse(json, nullptr, false);
  auto read = [&violation](const char* name, std::string& to) {
    if (violation.is_object() && violation.contains(name) && violation[name].is_string() && violation[name] != "") to = violation[name];
  };
  outcome.kind = FailureKind::kDeviceAssert;
  read("op", outcome.op);
  read("rule", outcome.rule);
  if (const AssertRule* rule = find_rule(outcome.rule)) outcome.kind = failure_kind_of(*rule);
  read("file", outcome.file);
  read("expression", outcome.expression);
  read("text", outcome.message);
}

Outcome execute(const Program& program, const Devices& devices, int64_t memory_bytes, Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  try {
    outcome = Run(program, devices, progress).calls(program.calls.size(), memory_bytes);
  } catch (...) {
    outcome = outcome_of_exception();
  }
  outcome.seconds = seconds_since(start);
  return outcome;
}

Result<std::vector<Captured>> capture(const Program& program, int call, const Devices& devices, int64_t memory_bytes, Progress& progress) {
  if (call < 0 || static_cast<std::size_t>(call) >= program.calls.size())
    return Error{fmt::format("there is no call {}: the program has {}", call, program.calls.size())};
  std::vector<Captured> all;
  try {
    Run run(program, devices, progress);
    const Outcome outcome = run.calls(static_cast<std::size_t>(call), memory_bytes);
    if (outcome.kind != FailureKind::kNone)
      return Error{fmt::format("calls[{}] fails before call {} is reached: {}: {}", outcome.call, call, name_of(outcome.kind), outcome.message)};
    const c10::NoGradGuard no_grad;
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    std::vector<int> ids;
    for (const Argument& argument : program.calls[static_cast<std::size_t>(call)].args)
      for (int id : tensors_in(argument.value))
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    for (int id : ids) {
      auto found = run.tensors().find(id);
      if (found == run.tensors().end()) continue;
      if (auto captured = copy_to_host(id, found->second)) all.push_back(std::move(*captured));
    }
  } catch (...) {
    return Error{outcome_of_exception().message};
  }
  return all;
}

void warm_up() {
  // One thread each: a pool's threads would not be there in a forked child.
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  // A whole program that fails, so that the loader has bound what every child calls and the unwinder knows its tables: each fork copies that.
  Program program;
  program.device = "cpu";
  program.leaves.resize(2);
  program.leaves[0].id = 0;
  program.leaves[0].meta = {DType::kFloat32, {1}, {1}};
  program.leaves[1].id = 1;
  program.leaves[1].meta = {DType::kInt64, {1}, {1}};
  program.leaves[1].fill = ConstantFill{7};
  program.calls = {{"aten::gather", {{"self", TensorRef{0}}, {"dim", int64_t{0}}, {"index", TensorRef{1}}}, {2}, {}, {}}};
  Progress progress;
  const Outcome outcome = execute(program, Devices(""), 1 << 20, progress);
  const auto read = outcome_from_json(nlohmann::json::parse(to_json(outcome).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  static_cast<void>(read);
}

}  // namespace minrepro
