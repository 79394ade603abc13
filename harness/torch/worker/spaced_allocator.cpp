#include "harness/torch/worker/spaced_allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace minrepro {
namespace {

constexpr int64_t kPage = 4096;
/// Bytes between the starts of two neighbours: beyond the reach of a 32-bit index into 8-byte elements, and no multiple of it is near a power of two, as wild
/// indices like to be.
constexpr int64_t kTensorDistance = int64_t{33} << 30;
// On x86-64: between the addresses where Linux puts a program (0x55…) and those of sanitizers' shadow memory (up to 0x1000…). What lies here is stepped over.
constexpr int64_t kFirst = int64_t{0x1100} << 32;
constexpr int64_t kEnd = int64_t{0x5000} << 32;

int64_t rounded_up(int64_t bytes, int64_t step) { return (bytes + step - 1) / step * step; }

class SpacedAllocator final : public c10::Allocator {
 public:
  SpacedAllocator(int64_t room, int64_t most_bytes) : room_(rounded_up(room, kPage)), left_(most_bytes) {}

  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &give_back, cpu};
    void* data = place(bytes);
    return {data, data, &give_back, cpu};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }

  static SpacedAllocator* instance;

 private:
  struct Mapping {
    char* start;
    int64_t length;
    int64_t bytes;
  };

  void* place(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto wanted = static_cast<int64_t>(bytes);
    TORCH_CHECK(wanted >= 0 && wanted <= left_, "can't allocate memory: you tried to allocate ", bytes, " bytes, and ", left_, " are left of the program's limit");
    const int64_t length = room_ + rounded_up(wanted, kPage) + room_;
    const int64_t span = rounded_up(length, kTensorDistance);
    char* start = nullptr;
    if (span == kTensorDistance && !free_.empty()) {
      start = map(free_.back(), length);
      free_.pop_back();
    }
    for (errno = EEXIST; start == nullptr && errno == EEXIST && next_ + span <= kEnd; next_ += span) start = map(next_, length);
    if (start == nullptr) return c10::alloc_cpu(bytes);  // better among others than nowhere: a program with thousands of tensors is to shrink all the same
    mappings_[start + room_] = {start, length, wanted};
    left_ -= wanted;
    return start + room_;
  }

  /// nullptr: see errno; EEXIST says that something lies there already.
  static char* map(int64_t address, int64_t length) {
    // Shared memory: it does not count as the process's own data, which is limited, and untouched pages cost nothing.
    void* start = mmap(reinterpret_cast<void*>(address), static_cast<size_t>(length), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return start == MAP_FAILED ? nullptr : static_cast<char*>(start);
  }

  static void give_back(void* data) {
    if (data == nullptr) return;
    const std::lock_guard lock(instance->mutex_);
    const auto found = instance->mappings_.find(data);
    if (found == instance->mappings_.end()) return c10::free_cpu(data);
    const Mapping& mapping = found->second;
    munmap(mapping.start, static_cast<size_t>(mapping.length));
    if (mapping.length <= kTensorDistance) instance->free_.push_back(reinterpret_cast<int64_t>(mapping.start));
    instance->left_ += mapping.bytes;
    instance->mappings_.erase(found);
  }

  const int64_t room_;
  std::mutex mutex_;
  std::unordered_map<void*, Mapping> mappings_;
  int64_t left_;
  int64_t next_ = kFirst;
  std::vector<int64_t> free_;              // addresses that are kTensorDistance wide
};

SpacedAllocator* SpacedAllocator::instance = nullptr;

}  // namespace

void space_tensors(int64_t room, int64_t most_bytes) {
  SpacedAllocator::instance = new SpacedAllocator(room, most_bytes);  // never deleted: tensors of static storage outlive everything
  c10::SetCPUAllocator(SpacedAllocator::instance, /*priority=*/1);
}

}  // namespace minrepro
