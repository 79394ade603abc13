#pragma once

#include <cstddef>

/// What the worker (which dlopens libminrepro_sim.so) asks of the simulated device. Exported with default visibility, C linkage.
extern "C" {

/// Forgets poison, violation and launch counts: a new context.
void minrepro_sim_reset();

/// Reports the violation that poisoned the device, as JSON {"op", "rule", "file", "line", "expression", "text"}, into `buffer` (zero-terminated, cut to `size`).
/// Returns false if the device is not poisoned.
bool minrepro_sim_violation(char* buffer, std::size_t size);

/// Throws the sticky error if the device is poisoned, as cudaDeviceSynchronize would.
void minrepro_sim_synchronize();

}
