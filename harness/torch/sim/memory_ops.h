#pragma once

#include <ATen/core/Tensor.h>

/// Operators of the simulated device that make, move or resize memory; their semantics are those of the CUDA kernels of the same names.
namespace minrepro::sim {

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format);
at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory);
at::Tensor efficient_zero_tensor(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                                 std::optional<at::Device> device, std::optional<bool> pin_memory);
const at::Tensor& resize(const at::Tensor& self, c10::SymIntArrayRef size, std::optional<at::MemoryFormat> format);
at::Tensor& set_to_storage(at::Tensor& self, at::Storage storage);
at::Tensor& set_to_storage_at(at::Tensor& self, at::Storage storage, int64_t offset, at::IntArrayRef size, at::IntArrayRef stride);
at::Tensor& set_to_tensor(at::Tensor& self, const at::Tensor& source);
at::Tensor& set_to_nothing(at::Tensor& self);

/// Copies between the device and the host, or within the device. Waits for the device if the host is one end, unless it goes to the device and
/// `non_blocking` is set.
at::Tensor copy_from(const at::Tensor& self, const at::Tensor& destination, bool non_blocking);
at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& destination);

/// item(): waits for the device.
at::Scalar local_scalar(const at::Tensor& self);

void record_stream(at::Tensor& self, c10::Stream stream);

/// Whether `self.data = from` may be: CPU and CUDA tensors take each other's place so, and a module that is moved keeps its parameters. LibTorch's
/// own answer counts only the backends that it knows.
bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from);

}  // namespace minrepro::sim
