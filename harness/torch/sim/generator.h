#pragma once

#include <ATen/core/Generator.h>

/// Random numbers on the simulated device are the CPU's: a generator that carries the device's name around a CPU generator.
namespace minrepro::sim {

/// Around the default CPU generator: seeding one seeds the other.
const at::Generator& default_generator();
/// Around a CPU generator of its own, with the default seed.
at::Generator new_generator();
/// The CPU generator inside. Throws what CUDA's kernels say of a generator of another device.
at::Generator cpu_generator_of(const at::Generator& generator);

}  // namespace minrepro::sim
