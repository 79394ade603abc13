#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace minrepro {

/// Weak pointers to what has died, to be dropped when no lock is held (a destructor may want Python's).
using DeadObjects = c10::SmallVector<c10::weak_intrusive_ptr<c10::intrusive_ptr_target>, 4>;

/// Numbers for objects that are known by address. A known object's address is not given to another one: a weak pointer holds its memory (not
/// its data) until it is found dead. Most objects die young: each is looked at once when it is a few dozen objects old, so that its memory goes back while
/// it is still warm, and those that live then are looked at together, when their number has doubled. Not for several threads at once.
class WeakTable {
 public:
  struct Entry {
    c10::intrusive_ptr_target* object = nullptr;
    uint64_t id = 0;
    bool is_content_known = false;        ///< storages: the recorded calls tell what is in it
  };

  /// The object's entry; null if it is not known yet.
  Entry* find(const c10::intrusive_ptr_target* object);
  /// Precondition: not known yet. The pointer is good until the next insert.
  Entry* insert(c10::intrusive_ptr_target* object, uint64_t id);

  /// Forgets some of the dead, now and then all of them.
  void sweep(DeadObjects& dead);
  /// Ids of all, sorted.
  std::vector<uint64_t> ids() const;

  std::size_t size() const { return used_; }

 private:
  static constexpr std::size_t kYoung = 64;

  std::size_t slot_of(const void* object) const;
  void grow();
  void erase(std::size_t slot);
  void sweep_young(DeadObjects& dead);
  void sweep_all(DeadObjects& dead);

  std::vector<Entry> slots_;
  std::size_t used_ = 0;
  std::size_t sweep_at_ = 2048;
  std::array<c10::intrusive_ptr_target*, kYoung> young_{};   ///< a ring; null where nothing is to be looked at
  uint64_t inserted_ = 0;
  uint64_t looked_at_ = 0;                ///< of those inserted, kYoung behind at most
};

/// The recorder's own numbers for storages and tensors. 0 is never given. Not for several threads at once.
class Identities {
 public:
  /// Of a storage: its entry, made now if it is new (`is_new` tells).
  WeakTable::Entry& storage(c10::StorageImpl* storage, bool& is_new);

  /// Of a tensor object in the storage with this number (0: it has none). `is_fresh`: the call that is being recorded made it, so whatever had this address
  /// before is gone.
  uint64_t tensor(c10::TensorImpl* tensor, uint64_t storage, bool is_fresh);

  /// A number for something that is met once only.
  uint64_t next() { return ++last_; }

  /// Forgets some of the dead; see WeakTable. Called after each call.
  void sweep(DeadObjects& dead);

 private:
  /// Tensors that have a storage are known by address and storage, without a weak pointer: PyTorch refuses to swap tensors that have one.
  struct Known {
    const c10::TensorImpl* tensor = nullptr;
    uint64_t storage = 0;
    uint64_t id = 0;
  };
  Known& known(const c10::TensorImpl* tensor);
  void grow();
  void sweep_tensors();

  WeakTable storages_;
  WeakTable bare_;                        ///< tensors without a storage
  std::vector<Known> tensors_;
  std::size_t tensors_used_ = 0;
  std::size_t sweep_tensors_at_ = 4096;
  uint64_t last_ = 0;
};

}  // namespace minrepro
