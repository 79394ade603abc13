#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace minrepro {

/// Numbers for objects that are known by address. A known object's address is not given to another one: a weak pointer holds its memory (not
/// its data) until `sweep` finds it dead. Not for several threads at once.
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

  bool is_sweep_due() const { return used_ >= sweep_at_; }
  /// Forgets the dead. Their weak pointers go to `dead`, to be dropped when no lock is held (a destructor may want Python's).
  /// Ids of the living are appended to `living`, sorted.
  void sweep(std::vector<c10::weak_intrusive_ptr<c10::intrusive_ptr_target>>& dead, std::vector<uint64_t>& living);

  std::size_t size() const { return used_; }

 private:
  std::size_t slot_of(const void* object) const;
  void grow();

  std::vector<Entry> slots_;
  std::size_t used_ = 0;
  std::size_t sweep_at_ = 2048;
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

  /// Forgets the dead when there are many; see WeakTable::sweep.
  void sweep(std::vector<c10::weak_intrusive_ptr<c10::intrusive_ptr_target>>& dead);

 private:
  /// Tensors that have a storage are known by address and storage, without a weak pointer: PyTorch refuses to swap tensors that have one.
  struct Known {
    const c10::TensorImpl* tensor = nullptr;
    uint64_t storage = 0;
    uint64_t id = 0;
  };
  Known& known(const c10::TensorImpl* tensor);
  void grow();

  WeakTable storages_;
  WeakTable bare_;                        ///< tensors without a storage
  std::vector<Known> tensors_;
  std::size_t tensors_used_ = 0;
  uint64_t last_ = 0;
};

}  // namespace minrepro
