#include "harness/torch/record/identity.h"

#include <algorithm>

namespace minrepro {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kFewestBeforeSweep = 2048;
constexpr std::size_t kFewestTensorsBeforeSweep = 4096;
/// Objects are looked at when so many younger ones have come. Less than the ring holds: one call may make several.
constexpr uint64_t kLookAtAge = 32;

std::size_t hash_of(const void* object) {
  // Objects are 16-byte aligned: the low bits say nothing.
  return static_cast<std::size_t>((reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15u >> 20);
}

}  // namespace

std::size_t WeakTable::slot_of(const void* object) const {
  std::size_t slot = hash_of(object) & (slots_.size() - 1);
  while (slots_[slot].object != nullptr && slots_[slot].object != object) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

WeakTable::Entry* WeakTable::find(const c10::intrusive_ptr_target* object) {
  if (slots_.empty()) return nullptr;
  Entry& entry = slots_[slot_of(object)];
  return entry.object == nullptr ? nullptr : &entry;
}

WeakTable::Entry* WeakTable::insert(c10::intrusive_ptr_target* object, uint64_t id) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  Entry& entry = slots_[slot_of(object)];
  c10::raw::weak_intrusive_ptr::incref(object);
  entry = {object, id, false};
  ++used_;
  young_[inserted_ % kYoung] = object;    // one that is overwritten waits for the next sweep of all
  ++inserted_;
  return &entry;
}

void WeakTable::grow() {
  std::vector<Entry> old(std::max(kFirstSlots, slots_.size() * 2));
  old.swap(slots_);
  for (const Entry& entry : old)
    if (entry.object != nullptr) slots_[slot_of(entry.object)] = entry;
}

void WeakTable::erase(std::size_t slot) {
  // Whatever was pushed on by the one that goes moves back: a search ends at the first free slot.
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t next = (slot + 1) & mask; slots_[next].object != nullptr; next = (next + 1) & mask) {
    const std::size_t home = hash_of(slots_[next].object) & mask;
    if (((next - home) & mask) < ((next - slot) & mask)) continue;
    slots_[slot] = slots_[next];
    slot = next;
  }
  slots_[slot] = Entry();
  --used_;
}

void WeakTable::sweep(DeadObjects& dead) {
  if (inserted_ - looked_at_ > kLookAtAge) sweep_young(dead);
  if (used_ >= sweep_at_) sweep_all(dead);
}

void WeakTable::sweep_young(DeadObjects& dead) {
  if (inserted_ - looked_at_ > kYoung) looked_at_ = inserted_ - kYoung;
  for (; inserted_ - looked_at_ > kLookAtAge; ++looked_at_) {
    c10::intrusive_ptr_target*& object = young_[looked_at_ % kYoung];
    if (object == nullptr) continue;
    if (c10::raw::weak_intrusive_ptr::use_count(object) == 0) {
      erase(slot_of(object));
      dead.push_back(c10::weak_intrusive_ptr<c10::intrusive_ptr_target>::reclaim(object));
    }
    object = nullptr;
  }
}

void WeakTable::sweep_all(DeadObjects& dead) {
  std::vector<Entry> old(slots_.size());
  old.swap(slots_);
  used_ = 0;
  for (const Entry& entry : old) {
    if (entry.object == nullptr) continue;
    if (c10::raw::weak_intrusive_ptr::use_count(entry.object) == 0) {
      dead.push_back(c10::weak_intrusive_ptr<c10::intrusive_ptr_target>::reclaim(entry.object));
      continue;
    }
    slots_[slot_of(entry.object)] = entry;
    ++used_;
  }
  young_.fill(nullptr);                   // some of them have just been forgotten
  sweep_at_ = std::max(kFewestBeforeSweep, used_ * 2);
}

std::vector<uint64_t> WeakTable::ids() const {
  std::vector<uint64_t> ids;
  ids.reserve(used_);
  for (const Entry& entry : slots_)
    if (entry.object != nullptr) ids.push_back(entry.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

WeakTable::Entry& Identities::storage(c10::StorageImpl* storage, bool& is_new) {
  WeakTable::Entry* entry = storages_.find(storage);
  is_new = entry == nullptr;
  return entry != nullptr ? *entry : *storages_.insert(storage, next());
}

uint64_t Identities::tensor(c10::TensorImpl* tensor, uint64_t storage, bool is_fresh) {
  if (storage == 0) {
    WeakTable::Entry* entry = bare_.find(tensor);
    return (entry != nullptr ? entry : bare_.insert(tensor, next()))->id;
  }
  if ((tensors_used_ + 1) * 2 > tensors_.size()) grow();
  Known& entry = known(tensor);
  if (entry.tensor == nullptr) ++tensors_used_;
  if (entry.tensor == nullptr || entry.storage != storage || is_fresh) entry = {tensor, storage, next()};
  return entry.id;
}

Identities::Known& Identities::known(const c10::TensorImpl* tensor) {
  std::size_t slot = hash_of(tensor) & (tensors_.size() - 1);
  while (tensors_[slot].tensor != nullptr && tensors_[slot].tensor != tensor) slot = (slot + 1) & (tensors_.size() - 1);
  return tensors_[slot];
}

void Identities::grow() {
  std::vector<Known> old(std::max(kFirstSlots, tensors_.size() * 2));
  old.swap(tensors_);
  for (const Known& entry : old)
    if (entry.tensor != nullptr) known(entry.tensor) = entry;
}

void Identities::sweep(DeadObjects& dead) {
  bare_.sweep(dead);
  storages_.sweep(dead);
  if (tensors_used_ >= sweep_tensors_at_) sweep_tensors();
}

void Identities::sweep_tensors() {
  // A tensor whose storage is dead is dead too.
  const std::vector<uint64_t> living = storages_.ids();
  std::vector<Known> old(tensors_.size());
  old.swap(tensors_);
  tensors_used_ = 0;
  for (const Known& entry : old) {
    if (entry.tensor == nullptr || !std::binary_search(living.begin(), living.end(), entry.storage)) continue;
    known(entry.tensor) = entry;
    ++tensors_used_;
  }
  sweep_tensors_at_ = std::max(kFewestTensorsBeforeSweep, tensors_used_ * 2);
}

}  // namespace minrepro
