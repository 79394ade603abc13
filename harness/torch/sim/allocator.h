#pragma once

#include <c10/core/Allocator.h>

/// Memory of the simulated device: host memory.
namespace minrepro::sim {

/// Allocates what belongs to the simulated device; the context of its pointers is the memory itself.
c10::Allocator* device_allocator();

/// Host memory that says it is pinned.
c10::Allocator* pinned_allocator();
/// Whether `pointer` lies in memory of `pinned_allocator`.
bool is_pinned(const void* pointer);

}  // namespace minrepro::sim
