#include "harness/torch/sim/allocator.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/alignment.h>
#include <c10/core/impl/alloc_cpu.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

/// The CPU allocator's memory under the simulated device's name, so that results of CPU kernels become device memory without a copy, and an
/// allocator set with c10::SetCPUAllocator serves both. Nothing is cached and nothing counted, as torch.cuda says of this device too.
class DeviceAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = c10::GetCPUAllocator()->allocate(bytes);
    data.unsafe_set_device(sim_device());
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override { return c10::GetCPUAllocator()->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override { return {}; }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
};

/// Ranges of pinned memory by first address.
struct PinnedRanges {
  std::mutex mutex;
  std::map<const char*, size_t> bytes_at;
};

PinnedRanges& pinned_ranges() {
  static PinnedRanges* ranges = new PinnedRanges;
  return *ranges;
}

void free_pinned(void* pointer) {
  if (pointer == nullptr) return;
  PinnedRanges& ranges = pinned_ranges();
  {
    std::lock_guard<std::mutex> lock(ranges.mutex);
    ranges.bytes_at.erase(static_cast<const char*>(pointer));
  }
  c10::free_cpu(pointer);
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* pointer = bytes == 0 ? nullptr : c10::alloc_cpu(bytes);
    if (pointer != nullptr) {
      PinnedRanges& ranges = pinned_ranges();
      std::lock_guard<std::mutex> lock(ranges.mutex);
      ranges.bytes_at[static_cast<const char*>(pointer)] = bytes;
    }
    return {pointer, pointer, &free_pinned, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }
};

DeviceAllocator device_allocator_instance;
PinnedAllocator pinned_allocator_instance;

}  // namespace

c10::Allocator* device_allocator() { return &device_allocator_instance; }
c10::Allocator* pinned_allocator() { return &pinned_allocator_instance; }

bool is_pinned(const void* pointer) {
  PinnedRanges& ranges = pinned_ranges();
  std::lock_guard<std::mutex> lock(ranges.mutex);
  auto after = ranges.bytes_at.upper_bound(static_cast<const char*>(pointer));
  if (after == ranges.bytes_at.begin()) return false;
  --after;
  return static_cast<const char*>(pointer) < after->first + after->second;
}

REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, device_allocator());

}  // namespace minrepro::sim
