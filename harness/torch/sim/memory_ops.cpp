#include "harness/torch/sim/memory_ops.h"

#include <cstring>

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/TensorFactories.h>
#include <c10/core/SymIntArrayRef.h>

#include <ATen/ops/_local_scalar_dense.h>

#include "harness/torch/sim/alias.h"
#include "harness/torch/sim/allocator.h"
#include "harness/torch/sim/device_type.h"
#include "harness/torch/sim/launch_state.h"

namespace minrepro::sim {
namespace {

constexpr c10::DispatchKeySet kSimKeys(c10::DispatchKey::PrivateUse1);

/// Makes room for `bytes` in a storage of the device, as CUDA's resize does: it never shrinks, and what is there stays.
void reserve(const at::Storage& storage, std::size_t bytes) {
  if (bytes <= storage.nbytes()) return;
  c10::DataPtr grown = device_allocator()->allocate(bytes);
  if (storage.nbytes() > 0) std::memcpy(grown.get(), storage.data(), storage.nbytes());
  storage.set_data_ptr_noswap(std::move(grown));
  storage.set_nbytes(bytes);
}

bool is_dense(const at::Tensor& tensor) { return tensor.key_set().has_any(c10::DispatchKeySet(c10::DispatchKey::Dense)); }

}  // namespace

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
  check_index(device ? device->index() : 0);
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  on_device_use();
  return at::detail::empty_generic(size, device_allocator(), kSimKeys, at::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<at::Device> device, std::optional<bool> pin_memory) {
  check_index(device ? device->index() : 0);
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  on_device_use();
  return at::detail::empty_strided_generic(size, stride, device_allocator(), kSimKeys, at::dtype_or_default(dtype));
}

at::Tensor efficient_zero_tensor(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>, std::optional<at::Device>,
                                 std::optional<bool>) {
  static auto* allocator = new at::native::ZeroTensorAllocator(sim_device());
  return at::detail::empty_generic(size, allocator, kSimKeys | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor), at::dtype_or_default(dtype),
                                   std::nullopt);
}

const at::Tensor& resize(const at::Tensor& self, c10::SymIntArrayRef size, std::optional<at::MemoryFormat> format) {
  const at::IntArrayRef sizes = C10_AS_INTARRAYREF_SLOW(size);
  reserve(self.storage(), at::detail::computeStorageNbytesContiguous(sizes, self.itemsize(), self.storage_offset()));
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  if (impl->sizes() != sizes) impl->set_sizes_contiguous(sizes);
  if (format && *format != at::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  return self;
}

at::Tensor& set_to_storage_at(at::Tensor& self, at::Storage storage, int64_t offset, at::IntArrayRef size, at::IntArrayRef stride) {
  TORCH_CHECK(storage.device().type() == kSim, "Attempted to set the storage of a tensor on device \"", self.device(),
              "\" to a storage on different device \"", storage.device(), "\". This is no longer allowed; the devices must match.");
  TORCH_CHECK(offset >= 0, "Tensor: invalid storage offset ", offset);
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(storage));
  if (stride.data() == nullptr) {
    impl->set_sizes_contiguous(size);
    impl->set_storage_offset(offset);
  } else {
    impl->set_sizes_and_strides(size, stride, offset);
  }
  reserve(self.storage(), at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.itemsize(), offset));
  return self;
}

at::Tensor& set_to_storage(at::Tensor& self, at::Storage storage) {
  const auto elements = static_cast<int64_t>(storage.nbytes() / self.itemsize());
  return set_to_storage_at(self, std::move(storage), 0, {elements}, {});
}

at::Tensor& set_to_tensor(at::Tensor& self, const at::Tensor& source) {
  if (self.is_same(source)) return self;
  return set_to_storage_at(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

at::Tensor& set_to_nothing(at::Tensor& self) {
  at::Storage none(c10::Storage::use_byte_size_t(), 0, device_allocator()->allocate(0), device_allocator(), /*resizable=*/true);
  return set_to_storage_at(self, std::move(none), 0, {0}, {});
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& destination, bool non_blocking) {
  on_launch();
  const bool to_device = is_sim(destination) && !is_sim(self);
  const bool to_host = is_sim(self) && !is_sim(destination);
  if (to_host || (to_device && !non_blocking)) on_synchronize();
  at::AutoDispatchBelowAutograd below_autograd;
  AliasSet aliases;
  aliases.to_cpu(destination).copy_(aliases.to_cpu(self));
  if (!destination.has_storage()) aliases.adopt_changes();
  return destination;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& destination) {
  if (destination.sizes() != self.sizes()) destination.resize_(self.sizes());
  return copy_from(self, destination, false);
}

at::Scalar local_scalar(const at::Tensor& self) {
  on_synchronize();
  at::AutoDispatchBelowAutograd below_autograd;
  AliasSet aliases;
  return at::_local_scalar_dense(aliases.to_cpu(self));
}

void record_stream(at::Tensor&, c10::Stream) { on_device_use(); }

bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  const bool is_known = (is_sim(self) || self.is_cpu()) && (is_sim(from) || from.is_cpu());
  return is_known && ((is_dense(self) && is_dense(from)) || self.key_set() == from.key_set());
}

}  // namespace minrepro::sim
