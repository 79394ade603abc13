#include "harness/torch/sim/same_device.h"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

struct Found {
  bool sim = false;
  bool generator = false;              ///< one of the device
  const c10::Argument* cpu = nullptr;  ///< the first argument that is, or holds, a CPU tensor that must not stand beside those of the device
};

/// A tensor without dimensions counts as a number where it is read. One that stands for a Python number was made by PyTorch itself.
bool is_number(const OpTraits& traits, const at::Tensor& tensor, const c10::Argument& argument) {
  if (tensor.dim() > 0) return false;
  const bool is_written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() || (traits.takes_cpu_numbers && !(traits.iterates && is_written));
}

void look_at(const OpTraits& traits, const at::Tensor& tensor, const c10::Argument& argument, Found& found) {
  if (!tensor.defined()) return;
  if (tensor.device().type() == kSim) {
    found.sim = true;
  } else if (found.cpu == nullptr && tensor.device().is_cpu() && !is_number(traits, tensor, argument)) {
    found.cpu = &argument;
  }
}

/// Indices may be on the CPU, but only they, and for a tensor on the CPU they have to be.
void check_indexed(c10::ArrayRef<c10::IValue> arguments) {
  const bool on_cpu = arguments[0].toTensor().device().is_cpu();
  for (const c10::IValue& index : arguments[1].toListRef()) {
    TORCH_CHECK(!on_cpu || !index.isTensor() || index.toTensor().device().type() != kSim,
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)");
  }
  const bool has_values = arguments.size() > 2 && arguments[2].isTensor() && arguments[2].toTensor().dim() > 0;
  TORCH_CHECK(!has_values || arguments[2].toTensor().device().is_cpu() == on_cpu,
              "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
}

}  // namespace

void check_same_device(const OpTraits& traits, const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
  if (traits.takes_indices) check_indexed(arguments);
  if (traits.takes_cpu_tensors) return;
  Found found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const c10::IValue& value = arguments[i];
    if (value.isGenerator()) {
      found.generator = value.toGenerator().device().type() == kSim;
    } else if (value.isTensor()) {
      look_at(traits, value.toTensor(), schema.arguments()[i], found);
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
      for (const c10::IValue& element : value.toListRef()) {
        if (element.isTensor()) look_at(traits, element.toTensor(), schema.arguments()[i], found);
      }
    }
  }
  if (found.cpu == nullptr) return;
  TORCH_CHECK(found.sim || !found.generator, "Expected a 'cpu' device type for generator but found 'cuda'");
  if (!found.sim) return;
  TORCH_CHECK(!traits.iterates, "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but got ", found.cpu->name(), " is on cpu, different from other tensors on ",
              "cuda:0 (when checking argument in method wrapper_CUDA_", schema.name().substr(schema.name().find(':') + 2), ")");
}

}  // namespace minrepro::sim
