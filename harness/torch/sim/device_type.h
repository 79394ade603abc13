#pragma once

#include <c10/core/Device.h>

namespace minrepro::sim {

/// The dispatcher's place for backends that are not part of LibTorch; "sim" is its name here.
constexpr c10::DeviceType kSim = c10::DeviceType::PrivateUse1;

/// The only simulated device.
inline c10::Device sim_device() { return {kSim, 0}; }

/// Throws what CUDA says of a device that is not there (c10::AcceleratorError, code 101) unless `index` is 0 or -1, the current one.
void check_index(c10::DeviceIndex index);

}  // namespace minrepro::sim
