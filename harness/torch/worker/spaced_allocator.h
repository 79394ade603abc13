#pragma once

#include <cstdint>

namespace minrepro {

/// From here on every tensor that LibTorch allocates on the host (and so on the simulated device) lies alone: `room` mapped bytes before and behind it, all
/// zero, and nothing else for `kTensorDistance`. An access that is out of bounds by less than `room` then harms nothing and reads zeros; one beyond it always
/// ends in SIGSEGV. Without it either may crash or not, or damage the heap and crash later, as the heap of this very process happens to lie.
/// At most `most_bytes` are given out at once; past that, and where the address space is too small, an allocation throws c10::Error as LibTorch's own does.
/// To be called at most once in a process, for a child that runs one program: the allocator stays.
void space_tensors(int64_t room, int64_t most_bytes);

/// Bytes between the starts of two neighbours: a 32-bit index of 4-byte elements reaches neither of them.
inline constexpr int64_t kTensorDistance = int64_t{32} << 30;

}  // namespace minrepro
