#pragma once

#include <utility>

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>

/// The books on the simulated device's memory, kept as CUDA's caching allocator keeps them: by blocks of 512 bytes, with peaks and totals. What is
/// reserved grows by segments of 2 MiB and shrinks when the cache is emptied.
namespace minrepro::sim {

/// Host memory of `bytes` bytes becomes memory of the device, counted until it is freed. The result has the pointer and the context of `memory`.
/// Throws c10::OutOfMemoryError, as CUDA words it, if the device would hold more than it has.
c10::DataPtr counted(c10::DataPtr memory, std::size_t bytes);

/// Frees what `counted` returned, by its context.
void free_counted(void* context);

/// Throws c10::OutOfMemoryError if `bytes` more do not fit.
void check_room(std::size_t bytes);
[[noreturn]] void raise_out_of_memory(std::size_t bytes);

c10::CachingDeviceAllocator::DeviceStats memory_stats();
void reset_accumulated_memory_stats();
void reset_peak_memory_stats();
/// Nothing stays reserved that is not in use.
void empty_memory_cache();

/// Free and total bytes. In total the device has what the host has.
std::pair<std::size_t, std::size_t> memory_info();

/// The part of the total that this process may use.
void set_memory_fraction(double fraction);
double memory_fraction();

}  // namespace minrepro::sim
