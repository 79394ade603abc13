#include "harness/torch/sim/device_memory.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kSegment = std::size_t{2} << 20;
constexpr std::size_t kLargestSmall = std::size_t{1} << 20;

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

struct Block {
  c10::DataPtr memory;
  std::size_t bytes = 0;
  int owners = 1;  ///< device storages on the same host storage
};

struct Books {
  std::mutex mutex;
  std::unordered_map<void*, Block> blocks;  ///< by context
  c10::CachingDeviceAllocator::DeviceStats stats;
  double fraction = 1;
};

/// Never destroyed: tensors of other static objects may go after us.
Books& books() {
  static Books* instance = new Books;
  return *instance;
}

std::size_t total_bytes() {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

Stat& all(StatArray& stats) { return stats[static_cast<std::size_t>(StatType::AGGREGATE)]; }
Stat& pool(StatArray& stats, std::size_t bytes) {
  return stats[static_cast<std::size_t>(bytes <= kLargestSmall ? StatType::SMALL_POOL : StatType::LARGE_POOL)];
}

template <typename Change>
void change_both(StatArray& stats, std::size_t bytes, Change change) {
  change(all(stats));
  change(pool(stats, bytes));
}

/// Brings the reserved bytes of one pool to `bytes`.
void reserve(Books& b, StatType type, std::size_t bytes) {
  Stat& reserved = b.stats.reserved_bytes[static_cast<std::size_t>(type)];
  const auto before = static_cast<std::size_t>(reserved.current);
  for (Stat* stat : {&reserved, &all(b.stats.reserved_bytes)}) bytes > before ? stat->increase(bytes - before) : stat->decrease(before - bytes);
  for (Stat* stat : {&b.stats.segment[static_cast<std::size_t>(type)], &all(b.stats.segment)}) {
    bytes > before ? stat->increase((bytes - before) / kSegment) : stat->decrease((before - bytes) / kSegment);
  }
}

void note_allocated(Books& b, std::size_t bytes) {
  const std::size_t size = rounded(bytes, kBlock);
  for (StatArray* counts : {&b.stats.allocation, &b.stats.active}) change_both(*counts, size, [](Stat& s) { s.increase(1); });
  for (StatArray* sums : {&b.stats.allocated_bytes, &b.stats.active_bytes}) change_both(*sums, size, [=](Stat& s) { s.increase(size); });
  change_both(b.stats.requested_bytes, size, [=](Stat& s) { s.increase(bytes); });
  const StatType type = size <= kLargestSmall ? StatType::SMALL_POOL : StatType::LARGE_POOL;
  const auto in_use = static_cast<std::size_t>(pool(b.stats.allocated_bytes, size).current);
  if (in_use > static_cast<std::size_t>(pool(b.stats.reserved_bytes, size).current)) reserve(b, type, rounded(in_use, kSegment));
}

void note_freed(Books& b, std::size_t bytes) {
  const std::size_t size = rounded(bytes, kBlock);
  for (StatArray* counts : {&b.stats.allocation, &b.stats.active}) change_both(*counts, size, [](Stat& s) { s.decrease(1); });
  for (StatArray* sums : {&b.stats.allocated_bytes, &b.stats.active_bytes}) change_both(*sums, size, [=](Stat& s) { s.decrease(size); });
  change_both(b.stats.requested_bytes, size, [=](Stat& s) { s.decrease(bytes); });
}

bool fits(Books& b, std::size_t bytes) {
  const auto in_use = static_cast<std::size_t>(all(b.stats.allocated_bytes).current);
  const auto allowed = static_cast<std::size_t>(b.fraction * static_cast<double>(total_bytes()));
  return in_use <= allowed && bytes <= allowed - in_use;
}

std::string readable(std::size_t bytes) {
  if (bytes <= 1024) return fmt::format("{} bytes", bytes);
  const double kib = static_cast<double>(bytes) / 1024;
  if (kib <= 1024) return fmt::format("{:.2f} KiB", kib);
  return kib <= 1024 * 1024 ? fmt::format("{:.2f} MiB", kib / 1024) : fmt::format("{:.2f} GiB", kib / 1024 / 1024);
}

template <typename Change>
void change_all(c10::CachingDeviceAllocator::DeviceStats& stats, Change change) {
  for (StatArray* of_pools : {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split, &stats.allocated_bytes, &stats.reserved_bytes,
                              &stats.active_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
    for (Stat& stat : *of_pools) change(stat);
  }
}

}  // namespace

c10::DataPtr counted(c10::DataPtr memory, std::size_t bytes) {
  void* pointer = memory.get();
  void* context = memory.get_context();
  if (bytes == 0 || context == nullptr) {
    memory.unsafe_set_device(sim_device());
    return memory;
  }
  check_room(bytes);
  Books& b = books();
  {
    std::lock_guard<std::mutex> lock(b.mutex);
    Block& block = b.blocks[context];
    if (block.memory) {
      ++block.owners;
    } else {
      block = {std::move(memory), bytes, 1};
      note_allocated(b, bytes);
    }
  }
  return {pointer, context, &free_counted, sim_device()};
}

void free_counted(void* context) {
  Books& b = books();
  c10::DataPtr memory;  // declared before the lock, so freed after it: its deleter may come back here
  std::lock_guard<std::mutex> lock(b.mutex);
  const auto found = b.blocks.find(context);
  if (found == b.blocks.end() || --found->second.owners > 0) return;
  memory = std::move(found->second.memory);
  note_freed(b, found->second.bytes);
  b.blocks.erase(found);
}

void check_room(std::size_t bytes) {
  Books& b = books();
  std::unique_lock<std::mutex> lock(b.mutex);
  if (fits(b, bytes)) return;
  lock.unlock();
  raise_out_of_memory(bytes);
}

void raise_out_of_memory(std::size_t bytes) {
  Books& b = books();
  std::size_t in_use = 0, reserved = 0;
  {
    std::lock_guard<std::mutex> lock(b.mutex);
    ++b.stats.num_ooms;
    in_use = static_cast<std::size_t>(all(b.stats.allocated_bytes).current);
    reserved = static_cast<std::size_t>(all(b.stats.reserved_bytes).current);
  }
  TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", readable(bytes), ". GPU 0 has a total capacity of ",
                   readable(total_bytes()), " of which ", readable(memory_info().first), " is free. Of the allocated memory ", readable(in_use),
                   " is allocated by PyTorch, and ", readable(reserved - std::min(in_use, reserved)),
                   " is reserved by PyTorch but unallocated. (simulated device)");
}

c10::CachingDeviceAllocator::DeviceStats memory_stats() {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  return b.stats;
}

void reset_accumulated_memory_stats() {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  change_all(b.stats, [](Stat& stat) { stat.reset_accumulated(); });
  b.stats.num_ooms = 0;
}

void reset_peak_memory_stats() {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  change_all(b.stats, [](Stat& stat) { stat.reset_peak(); });
}

void empty_memory_cache() {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  for (StatType type : {StatType::SMALL_POOL, StatType::LARGE_POOL}) {
    reserve(b, type, rounded(static_cast<std::size_t>(b.stats.allocated_bytes[static_cast<std::size_t>(type)].current), kSegment));
  }
}

std::pair<std::size_t, std::size_t> memory_info() {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  const auto reserved = static_cast<std::size_t>(all(b.stats.reserved_bytes).current);
  return {total_bytes() - std::min(reserved, total_bytes()), total_bytes()};
}

void set_memory_fraction(double fraction) {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  b.fraction = fraction;
}

double memory_fraction() {
  Books& b = books();
  std::lock_guard<std::mutex> lock(b.mutex);
  return b.fraction;
}

}  // namespace minrepro::sim
