#pragma once

#include <cstddef>

/// What the worker (which dlopens libminrepro_sim.so) asks of the simulated device. Exported with default visibility, C linkage.
extern "C" {

/// Forgets poison, violation, launch counts and whether the process was forked: a new context.
void minrepro_sim_reset();

/// Reports the violation that poisoned the device, as JSON {"op", "rule", "file", "line", "expression", "text"}, into `buffer` (zero-terminated, cut to `size`).
/// Returns false if the device is not poisoned.
bool minrepro_sim_violation(char* buffer, std::size_t size);

/// Throws the sticky error if the device is poisoned, as cudaDeviceSynchronize would.
void minrepro_sim_synchronize();

/// The context begins, as the first call of the CUDA runtime begins it; and whether this process was forked from one that had a context.
void minrepro_sim_begin_context();
bool minrepro_sim_is_in_forked_child();

/// The name "cuda" means the simulated device from now on, for operators too.
void minrepro_sim_take_cuda();

/// The part of the device's memory that this process may use, as torch.cuda.set_per_process_memory_fraction has it.
void minrepro_sim_set_memory_fraction(double fraction);
double minrepro_sim_memory_fraction();

}
