#include "harness/torch/sim/cuda_keys.h"

#include <algorithm>
#include <array>
#include <memory>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/library.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

/// The last `count` values of a stack are a call's arguments: cuda among them becomes the simulated device.
void map_devices(torch::jit::Stack& stack, std::size_t count) {
  for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
    c10::IValue& value = stack[i];
    if (!value.isDevice() || !value.toDevice().is_cuda()) continue;
    check_index(value.toDevice().index());
    value = sim_device();
  }
}

void call_with_sim(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  map_devices(*stack, op.schema().arguments().size());
  op.callBoxed(stack);
}

bool takes_device(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), [](const c10::Argument& argument) { return argument.name() == "device"; });
}

/// TorchScript has operators of its own, which ask for a GPU before they call the dispatcher.
void take_script_operators() {
  for (const char* name : {"aten::to", "aten::tensor", "aten::as_tensor"}) {
    const auto operators = torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name));  // a copy: the list changes
    for (const std::shared_ptr<torch::jit::Operator>& op : operators) {
      const c10::FunctionSchema& schema = op->schema();
      if (op->isC10Op() || !op->hasOperation() || !takes_device(schema)) continue;
      const std::size_t count = schema.arguments().size();
      torch::jit::deregisterOperator(schema);
      torch::jit::registerOperator(torch::jit::Operator(
          toString(schema),
          [inner = op->getOperation(), count](torch::jit::Stack& stack) mutable {
            map_devices(stack, count);
            inner(stack);
          },
          op->aliasAnalysisKind()));
    }
  }
}

struct Silence final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

struct KeyOfCuda {
  c10::DispatchKey cuda;
  c10::DispatchKey cpu;  ///< an operator that has a kernel here is one that a device can be asked for
};
constexpr std::array kKeys = std::to_array<KeyOfCuda>({
    {c10::DispatchKey::CUDA, c10::DispatchKey::CPU},
    {c10::DispatchKey::SparseCUDA, c10::DispatchKey::SparseCPU},
    {c10::DispatchKey::SparseCsrCUDA, c10::DispatchKey::SparseCsrCPU},
    {c10::DispatchKey::QuantizedCUDA, c10::DispatchKey::QuantizedCPU},
});

}  // namespace

void take_cuda_keys() {
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard no_warnings(&silence);  // a CUDA build of LibTorch has kernels there
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const KeyOfCuda& keys : kKeys) {
    auto* library = new torch::Library(torch::Library::IMPL, "aten", keys.cuda, __FILE__, __LINE__);  // unregisters when destroyed
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
      if (name.getNamespace() != "aten") continue;
      const auto op = dispatcher.findSchema(name);
      if (!op || !takes_device(op->schema()) || !op->hasKernelForDispatchKey(keys.cpu)) continue;
      library->impl(toString(name).c_str(), torch::CppFunction::makeFromBoxedFunction<&call_with_sim>());
    }
  }
  take_script_operators();
  register_guard_for_cuda();
}

}  // namespace minrepro::sim
