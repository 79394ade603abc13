#include "harness/torch/sim/fallback.h"

#include <charconv>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>
#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "harness/torch/check/call_view.h"
#include "harness/torch/sim/alias.h"
#include "harness/torch/sim/as_cuda_reads.h"
#include "harness/torch/sim/device_assert.h"
#include "harness/torch/sim/device_memory.h"
#include "harness/torch/sim/device_type.h"
#include "harness/torch/sim/generator.h"
#include "harness/torch/sim/launch_state.h"
#include "harness/torch/sim/op_traits.h"
#include "harness/torch/sim/same_device.h"

namespace minrepro::sim {
namespace {

c10::IValue to_cpu(const c10::IValue& value, AliasSet& aliases) {
  if (value.isTensor()) return aliases.to_cpu(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> converted;
    for (const at::Tensor& tensor : value.toTensorVector()) converted.push_back(aliases.to_cpu(tensor));
    return converted;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> converted;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      converted.push_back(tensor ? std::optional<at::Tensor>(aliases.to_cpu(*tensor)) : std::nullopt);
    }
    return converted;
  }
  if (value.isDevice() && value.toDevice().type() == kSim) return c10::Device(c10::DeviceType::CPU);
  if (value.isGenerator()) return cpu_generator_of(value.toGenerator());
  return value;
}

/// Only these can hold something of the device.
bool may_hold_device(const c10::IValue& value) { return value.isTensor() || value.isList() || value.isDevice() || value.isGenerator(); }

c10::IValue to_sim(c10::IValue&& value, AliasSet& aliases) {
  if (value.isTensor()) return aliases.to_sim(std::move(value).toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> results = std::move(value).toTensorList();
    for (std::size_t i = 0; i < results.size(); ++i) {
      const at::Tensor result = results.extract(i);
      results.set(i, aliases.to_sim(result));
    }
    return results;
  }
  return std::move(value);
}

/// An index that is a mask: CUDA counts its true elements on the device and waits for the number.
bool has_mask(const torch::jit::Stack& stack, std::size_t base) {
  for (std::size_t i = base; i < stack.size(); ++i) {
    if (!stack[i].isOptionalTensorList() && !stack[i].isTensorList()) continue;
    for (const c10::IValue& element : stack[i].toListRef()) {
      if (!element.isTensor() || !element.toTensor().defined()) continue;
      const at::ScalarType type = element.toTensor().scalar_type();
      if (type == at::kBool || type == at::kByte) return true;
    }
  }
  return false;
}

/// A tensor argument that the CPU kernel would write past or has no code for, and the tensor that the kernel is given in its place.
struct StandIn {
  at::Tensor argument;
  at::Tensor given;
  bool is_written;
};

/// The dtype that the CPU kernel computes in if it has none for `type`.
std::optional<at::ScalarType> wide_type(const OpTraits& traits, at::ScalarType type) {
  if (traits.lacks_half_on_cpu && (type == at::kHalf || type == at::kBFloat16)) return at::kFloat;
  if (traits.lacks_integers_on_cpu && at::isIntegralType(type, /*includeBool=*/false)) return at::kDouble;
  return std::nullopt;
}

std::vector<StandIn> stand_in_for_arguments(const OpTraits& traits, const c10::FunctionSchema& schema, torch::jit::Stack* stack, std::size_t base) {
  std::vector<StandIn> stand_ins;
  for (std::size_t i = base; i < stack->size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i - base];
    c10::IValue& value = (*stack)[i];
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::Tensor tensor = value.toTensor();
    const std::optional<at::ScalarType> wide = wide_type(traits, tensor.scalar_type());
    const bool would_write_past = traits.writes_past_strided_outs && argument.is_out() && !tensor.is_contiguous();
    if (!wide && !would_write_past) continue;
    const bool is_written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    stand_ins.push_back({tensor, wide ? tensor.to(*wide) : tensor.clone(at::MemoryFormat::Contiguous), is_written});
    value = stand_ins.back().given;
  }
  return stand_ins;
}

/// What the kernel wrote goes to its arguments; results have the dtype that its arguments had.
void take_back(const OpTraits& traits, const std::vector<StandIn>& stand_ins, torch::jit::Stack* stack, std::size_t base) {
  for (const StandIn& stand_in : stand_ins) {
    if (!stand_in.is_written) continue;
    if (stand_in.argument.sizes() != stand_in.given.sizes()) stand_in.argument.resize_(stand_in.given.sizes());
    stand_in.argument.copy_(stand_in.given);
    for (std::size_t i = base; i < stack->size(); ++i) {
      c10::IValue& result = (*stack)[i];
      if (result.isTensor() && result.toTensor().is_same(stand_in.given)) result = stand_in.argument;
    }
  }
  if (stand_ins.empty()) return;
  const at::ScalarType narrow = stand_ins.front().argument.scalar_type();
  const std::optional<at::ScalarType> wide = wide_type(traits, narrow);
  for (std::size_t i = base; wide && i < stack->size(); ++i) {
    c10::IValue& result = (*stack)[i];
    if (result.isTensor() && result.toTensor().scalar_type() == *wide) result = result.toTensor().to(narrow);
  }
}

/// No call of the program's: the recorder does not see it. (The guard costs more than all the rest, and nearly always nobody looks.)
void read_as_cuda(const c10::FunctionSchema& schema, const OpTraits& traits, torch::jit::Stack* stack, std::size_t base) {
  std::optional<at::DisableRecordFunctionGuard> unrecorded;
  if (at::hasCallbacks()) unrecorded.emplace();
  CpuArguments arguments(schema, stack, base);
  if (traits.cuts != nullptr) cut_indices(*traits.cuts, arguments);
  if (traits.as_cuda_reads != nullptr) traits.as_cuda_reads(arguments);
}

void call_cpu_kernel(const c10::OperatorHandle& op, const OpTraits& traits, torch::jit::Stack* stack, std::size_t base) {
  at::AutoDispatchBelowAutograd below_autograd;
  c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  if (traits.cuts != nullptr || traits.as_cuda_reads != nullptr) read_as_cuda(op.schema(), traits, stack, base);
  if (traits.writes_past_strided_outs || traits.lacks_half_on_cpu || traits.lacks_integers_on_cpu) {
    const std::vector<StandIn> stand_ins = stand_in_for_arguments(traits, op.schema(), stack, base);
    op.callBoxed(stack);
    take_back(traits, stand_ins, stack, base);
    return;
  }
  if (!traits.instead) {
    op.callBoxed(stack);
    return;
  }
  if (traits.none_before >= 0) stack->insert(stack->begin() + static_cast<std::ptrdiff_t>(base) + traits.none_before, c10::IValue());
  traits.instead->callBoxed(stack);
}

/// What the CPU's allocator says when the kernel asks for more than the host has: the device has no more either.
std::optional<std::size_t> bytes_without_room(const c10::Error& error) {
  constexpr std::string_view kRefused = "can't allocate memory: you tried to allocate ";
  const std::string_view text = error.what_without_backtrace();
  const std::size_t at = text.find(kRefused);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t bytes = 0;
  const char* number = text.data() + at + kRefused.size();
  return std::from_chars(number, text.data() + text.size(), bytes).ec == std::errc() ? std::optional(bytes) : std::nullopt;
}

/// A kernel that would leave its memory never runs. What its call violates on CUDA comes first.
void refuse_misfits(const Precondition* precondition, const OpTraits& traits, const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
                    const std::optional<PendingAssert>& pending) {
  if (precondition == nullptr) return;
  const std::optional<std::string> complaint = (*precondition)(SchemaCallView(schema, arguments), arguments);
  if (!complaint) return;
  if (pending) report_assert(traits, schema, *pending);
  if (is_poisoned()) raise_sticky_error();
  TORCH_CHECK(false, "the simulated device cannot run ", traits.name, ": ", *complaint,
              "; PyTorch's CPU kernel does not check it and would leave its memory");
}

/// From this thread's first call on, its backward passes run on it, not on autograd's thread for the device: OpenMP would give that one a second team of
/// threads, and with more threads than cores all of them sleep between kernels, which makes every step nearly twice as long.
/// A program that turns it on again later is left alone.
void keep_backward_on_this_thread() {
  thread_local bool kept = false;
  if (kept || c10::InferenceMode::is_enabled()) return;  // whose end would undo it
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
  kept = true;
}

void run(const c10::OperatorHandle& op, torch::jit::Stack* stack, std::vector<const AssertRule*> OpTraits::* rules_of) {
  const OpTraits& traits = traits_of(op);
  const std::vector<const AssertRule*>& rules = traits.*rules_of;
  const bool is_sparse = rules_of == &OpTraits::sparse_rules;
  const c10::FunctionSchema& schema = op.schema();
  const std::size_t base = stack->size() - schema.arguments().size();

  check_same_device(traits, schema, c10::ArrayRef<c10::IValue>(*stack).slice(base));
  TORCH_CHECK_NOT_IMPLEMENTED(!traits.lacks_cuda_kernel || is_sparse, "Could not run '", schema.name(),
                              "' with arguments from the 'CUDA' backend: CUDA has no kernel for it");
  keep_backward_on_this_thread();
  on_launch();
  if (traits.waits || (traits.takes_indices && is_poisoned() && has_mask(*stack, base))) on_synchronize();

  std::optional<PendingAssert> pending;
  if (!rules.empty()) pending = enforce_rules(traits, rules, schema, stack, base);
  refuse_misfits(traits.precondition, traits, schema, c10::ArrayRef<c10::IValue>(*stack).slice(base), pending);
  if (is_sparse) refuse_misfits(traits.sparse_precondition, traits, schema, c10::ArrayRef<c10::IValue>(*stack).slice(base), pending);
  AliasSet aliases;
  bool for_host = false;  // the caller wants the result there
  for (std::size_t i = base; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (!may_hold_device(value)) continue;
    for_host = for_host || (value.isDevice() && value.toDevice().is_cpu());
    value = to_cpu(value, aliases);
  }
  if (for_host) on_synchronize();
  try {
    call_cpu_kernel(op, traits, stack, base);
  } catch (const c10::Error& error) {
    // What the host checks (shapes, dtypes) raises at once.
    if (is_poisoned()) raise_sticky_error();
    if (const auto bytes = bytes_without_room(error)) raise_out_of_memory(*bytes);
    throw;
  }
  if (pending) report_assert(traits, schema, *pending);
  if (traits.waits) on_synchronize();
  if (traits.writes) aliases.adopt_changes();
  if (for_host) return;
  for (std::size_t i = base; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor() || value.isList()) value = to_sim(std::move(value), aliases);
  }
}

}  // namespace

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) { run(op, stack, &OpTraits::rules); }
void run_sparse_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) { run(op, stack, &OpTraits::sparse_rules); }

void refuse_quantized(const c10::OperatorHandle&, torch::jit::Stack*) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "minrepro: the simulated device has no quantized tensors");
}

}  // namespace minrepro::sim
