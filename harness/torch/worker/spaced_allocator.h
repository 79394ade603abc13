#pragma once

#include <cstdint>

namespace minrepro {

/// From here on every tensor that LibTorch's CPU allocator makes (the simulated device's are among them) lies alone: `room` mapped bytes before and behind it,
/// all zero, and nothing else up to the next tensor, a multiple of 33 GiB away. An access that is out of bounds by less than `room` then harms nothing
/// and reads zeros; one beyond it, and short of another tensor, ends in SIGSEGV. Without it either may crash or not, or damage the heap and crash later, as the
/// heap of this very process happens to lie. Pages of the room that are touched cost memory which no limit counts.
/// At most `most_bytes` are given out at once; past that an allocation throws c10::Error as LibTorch's own does. Where the address space is used up (some 1900
/// tensors at once) or limited, the further tensors come from LibTorch's own allocator.
/// To be called at most once in a process, for a child that runs one program: the allocator stays.
void space_tensors(int64_t room, int64_t most_bytes);

}  // namespace minrepro
