#include "harness/torch/record/random_seed.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Generator.h>

namespace minrepro {
namespace {

c10::Device device_of(c10::ArrayRef<const c10::IValue> arguments) {
  for (const c10::IValue& value : arguments) {
    if (value.isTensor() && value.toTensor().defined()) return value.toTensor().device();
    if (value.isDevice()) return value.toDevice();
    if (value.isTensorList() && !value.toListRef().empty() && value.toListRef()[0].isTensor() && value.toListRef()[0].toTensor().defined())
      return value.toListRef()[0].toTensor().device();
  }
  return c10::Device(c10::kCPU);
}

}  // namespace

std::optional<uint64_t> seed_of(c10::ArrayRef<const c10::IValue> arguments) {
  try {
    for (const c10::IValue& value : arguments)
      if (value.isGenerator())
        if (const at::Generator generator = value.toGenerator(); generator.defined()) return generator.current_seed();
    const c10::Device device = device_of(arguments);
    if (device.is_cpu() || device.is_meta()) return at::detail::getDefaultCPUGenerator().current_seed();
    return at::globalContext().defaultGenerator(device).current_seed();
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace minrepro
