#include "harness/torch/sim/alias.h"

#include <algorithm>

#include <ATen/NestedTensorImpl.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include "harness/torch/check/tensor_view.h"
#include "harness/torch/sim/allocator.h"
#include "harness/torch/sim/device_memory.h"
#include "harness/torch/sim/device_type.h"
#include "harness/torch/sim/sparse_alias.h"

namespace minrepro::sim {
namespace {

void release_storage(void* storage) { c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(storage)); }

/// A CPU storage on the memory of `storage`, which it keeps alive.
c10::Storage alias_storage(const c10::Storage& storage) {
  c10::StorageImpl* owner = storage.unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(owner);
  return c10::Storage(c10::Storage::use_byte_size_t(), owner->nbytes(),
                      c10::DataPtr(owner->mutable_data(), owner, &release_storage, c10::Device(c10::DeviceType::CPU)),
                      c10::GetCPUAllocator(), /*resizable=*/true);
}

/// Tensors of several sizes in one storage; the sizes are on the CPU whatever the device.
at::Tensor nested_on(c10::Storage&& storage, c10::DispatchKey key, const at::Tensor& like) {
  const auto* from = at::native::get_nested_tensor_impl(like);
  const bool to_cpu = key == c10::DispatchKey::CPU;
  const auto other = to_cpu ? c10::BackendComponent::PrivateUse1Bit : c10::BackendComponent::CPUBit;
  const auto backend = to_cpu ? c10::BackendComponent::CPUBit : c10::BackendComponent::PrivateUse1Bit;
  const c10::DispatchKeySet keys = like.key_set().remove_backend(other) | c10::DispatchKeySet(backend);
  return at::detail::make_tensor<at::native::NestedTensorImpl>(std::move(storage), keys, like.dtype(), from->get_nested_sizes(),
                                                               from->get_nested_strides(), from->get_storage_offsets());
}

at::Tensor tensor_on(c10::Storage&& storage, c10::DispatchKey key, const at::Tensor& like) {
  if (like.is_nested()) return nested_on(std::move(storage), key, like);
  TORCH_CHECK_NOT_IMPLEMENTED(!like.is_quantized(), "minrepro: the simulated device has no quantized tensors");
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
  c10::TensorImpl* impl = made.unsafeGetTensorImpl();
  const c10::TensorImpl* from = like.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(from->sizes(), from->strides(), from->storage_offset());
  if (from->is_wrapped_number()) impl->set_wrapped_number(true);
  if (from->is_conj()) impl->_set_conj(true);
  if (from->is_neg()) impl->_set_neg(true);
  return made;
}

/// A device storage that takes over the memory of `result`: moved if nobody else knows it, else shared.
c10::Storage to_device_storage(const at::Tensor& result) {
  c10::StorageImpl* host = result.storage().unsafeGetStorageImpl();
  const size_t bytes = host->nbytes();
  void* memory = host->mutable_data();
  c10::DataPtr data;
  if (result.use_count() == 1 && result.storage().use_count() == 1) {
    data = host->set_data_ptr(c10::DataPtr(memory, c10::Device(c10::DeviceType::CPU)));
  } else {
    c10::raw::intrusive_ptr::incref(host);
    data = c10::DataPtr(memory, host, &release_storage, sim_device());
  }
  return c10::Storage(c10::Storage::use_byte_size_t(), bytes, counted(std::move(data), bytes), device_allocator(), /*resizable=*/true);
}

bool is_alias_of_device_memory(const c10::Storage& storage) {
  return storage.unsafeGetStorageImpl()->data_ptr().get_deleter() == &release_storage;
}

/// Looking through this many pairs costs less than an index of them. Optimizers have calls with thousands.
constexpr std::size_t kFewPairs = 16;

const void* storage_of(const at::Tensor& tensor) { return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr; }

}  // namespace

bool is_sim(const at::Tensor& tensor) { return tensor.defined() && tensor.device().type() == kSim; }

template <typename Matches>
const AliasSet::Pair* AliasSet::find(const void* part, Matches matches) const {
  if (pairs_.size() <= kFewPairs) {
    const auto found = std::find_if(pairs_.begin(), pairs_.end(), matches);
    return found == pairs_.end() ? nullptr : found;
  }
  const auto found = pair_of_part_.find(part);
  // (A kernel may have given an alias another storage since.)
  return found != pair_of_part_.end() && matches(pairs_[found->second]) ? &pairs_[found->second] : nullptr;
}

void AliasSet::add(const at::Tensor& sim, const at::Tensor& cpu) {
  pairs_.push_back({sim, cpu});
  if (pairs_.size() <= kFewPairs) return;
  for (std::size_t i = pair_of_part_.empty() ? 0 : pairs_.size() - 1; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    for (const void* part : {static_cast<const void*>(pair.sim.unsafeGetTensorImpl()), static_cast<const void*>(pair.cpu.unsafeGetTensorImpl()),
                             storage_of(pair.sim), storage_of(pair.cpu)}) {
      pair_of_part_.try_emplace(part, i);
    }
  }
}

at::Tensor AliasSet::to_cpu(const at::Tensor& tensor) {
  if (!is_sim(tensor)) return tensor;
  if (const Pair* pair = find(tensor.unsafeGetTensorImpl(), [&](const Pair& p) { return p.sim.is_same(tensor); })) return pair->cpu;
  at::Tensor cpu;
  if (!tensor.has_storage()) {
    cpu = sparse_to_cpu(tensor);
  } else {
    const c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    // (An argument that the kernel is going to resize has no elements yet.)
    TORCH_CHECK(tensor.is_nested() || lies_in_storage(tensor), "the simulated device cannot use a tensor of ", tensor.nbytes(),
                " bytes whose storage was resized to ", storage->nbytes(), "; on CUDA that is an illegal memory access");
    const Pair* sharing = find(storage, [&](const Pair& p) { return storage_of(p.sim) == storage; });
    cpu = tensor_on(sharing != nullptr ? c10::Storage(sharing->cpu.storage()) : alias_storage(tensor.storage()), c10::DispatchKey::CPU, tensor);
  }
  // Some kernels leave out what only a gradient would need.
  if (tensor.requires_grad()) cpu.unsafeGetTensorImpl()->set_requires_grad(true);
  add(tensor, cpu);
  return cpu;
}

at::Tensor AliasSet::to_sim(const at::Tensor& result) {
  if (!result.defined() || !result.device().is_cpu()) return result;
  if (const Pair* pair = find(result.unsafeGetTensorImpl(), [&](const Pair& p) { return p.cpu.is_same(result); })) return pair->sim;
  if (!result.has_storage()) return sparse_to_sim(result);
  const auto shares = [&](const Pair& p) { return p.sim.has_storage() && p.cpu.has_storage() && result.storage().is_alias_of(p.cpu.storage()); };
  if (const Pair* pair = find(storage_of(result), shares)) return tensor_on(c10::Storage(pair->sim.storage()), c10::DispatchKey::PrivateUse1, result);
  return tensor_on(to_device_storage(result), c10::DispatchKey::PrivateUse1, result);
}

void AliasSet::adopt_storage(const at::Tensor& sim, const at::Tensor& cpu) {
  c10::StorageImpl* device = sim.storage().unsafeGetStorageImpl();
  c10::StorageImpl* host = cpu.storage().unsafeGetStorageImpl();
  if (host->data() == device->data() && host->nbytes() == device->nbytes()) return;
  if (host->data() == device->data()) {
    device->set_nbytes(host->nbytes());
    return;
  }
  if (is_alias_of_device_memory(cpu.storage())) {
    // The kernel pointed the argument at the memory of another one (set_, _swap).
    for (const Pair& other : pairs_) {
      if (other.cpu.has_storage() && !other.sim.is_same(sim) && other.sim.storage().data() == host->data()) {
        sim.unsafeGetTensorImpl()->set_storage_keep_dtype(other.sim.storage());
        return;
      }
    }
  }
  // Grown: every view of this storage sees the new memory. The host's face keeps looking at it, for the other aliases of the same storage.
  c10::DataPtr grown = host->set_data_ptr(c10::DataPtr(host->mutable_data(), c10::Device(c10::DeviceType::CPU)));
  device->set_data_ptr_noswap(counted(std::move(grown), host->nbytes()));
  device->set_nbytes(host->nbytes());
}

void AliasSet::adopt_changes() {
  for (const Pair& pair : pairs_) {
    if (!pair.sim.has_storage()) {
      adopt_sparse_changes(pair.sim, pair.cpu, [this](const at::Tensor& part) { return to_sim(part); });
      continue;
    }
    adopt_storage(pair.sim, pair.cpu);
    if (pair.sim.is_nested()) continue;
    const c10::TensorImpl* from = pair.cpu.unsafeGetTensorImpl();
    c10::TensorImpl* to = pair.sim.unsafeGetTensorImpl();
    if (to->sizes() != from->sizes() || to->strides() != from->strides() || to->storage_offset() != from->storage_offset()) {
      to->set_sizes_and_strides(from->sizes(), from->strides(), from->storage_offset());
    }
    if (to->is_conj() != from->is_conj()) to->_set_conj(from->is_conj());
    if (to->is_neg() != from->is_neg()) to->_set_neg(from->is_neg());
  }
}

at::Tensor AliasSet::sparse_to_cpu(const at::Tensor& tensor) {
  return sparse_cpu_face(tensor, [this](const at::Tensor& part) { return to_cpu(part); });
}

at::Tensor AliasSet::sparse_to_sim(const at::Tensor& result) {
  return sparse_sim_face(result, [this](const at::Tensor& part) { return to_sim(part); });
}

}  // namespace minrepro::sim
