#include "harness/torch/sim/same_device.h"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

struct Found {
  bool sim = false;
  const c10::Argument* cpu = nullptr;  ///< the first argument that is, or holds, a CPU tensor with dimensions
};

void look_at(const at::Tensor& tensor, const c10::Argument& argument, Found& found) {
  if (!tensor.defined()) return;
  if (tensor.device().type() == kSim) {
    found.sim = true;
  } else if (found.cpu == nullptr && tensor.device().is_cpu() && tensor.dim() > 0) {
    found.cpu = &argument;
  }
}

}  // namespace

void check_same_device(const OpTraits& traits, const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
  if (traits.takes_cpu_tensors) return;
  Found found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const c10::IValue& value = arguments[i];
    if (value.isTensor()) {
      look_at(value.toTensor(), schema.arguments()[i], found);
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
      for (const c10::IValue& element : value.toListRef()) {
        if (element.isTensor()) look_at(element.toTensor(), schema.arguments()[i], found);
      }
    }
  }
  if (!found.sim || found.cpu == nullptr) return;
  TORCH_CHECK(!traits.iterates, "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but got ", found.cpu->name(), " is on cpu, different from other tensors on ",
              "cuda:0 (when checking argument in method wrapper_CUDA_", schema.name().substr(schema.name().find(':') + 2), ")");
}

}  // namespace minrepro::sim
