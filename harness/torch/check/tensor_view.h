#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "harness/asserts/evaluate.h"

namespace minrepro {

/// A view of host memory, and whatever keeps that memory alive.
struct HostTensor {
  TensorView view;
  at::Tensor owner;
};

/// Whether the elements of `tensor` can be read from the host as they lie: strided, on the CPU or on the simulated device, of an element type
/// that the rules know.
bool is_host_readable(const at::Tensor& tensor);

/// Whether all elements lie in the storage: a storage can be shrunk under its views. Precondition: strided, with a storage.
bool lies_in_storage(const at::Tensor& tensor);

/// `tensor` as the rules read it. CPU tensors and those of the simulated device are viewed where they lie; strided CUDA tensors are copied to the
/// host (which waits for the device) unless `copy_from_device` is false. Everything else (undefined, meta, sparse, quantized) has sizes and no data.
/// A view that reaches out of its storage has no data either.
/// nullopt: the tensor is undefined or nested, or its element type is none of DType's.
/// Throws what LibTorch throws when the copy fails: c10::AcceleratorError on a device that has failed already.
std::optional<HostTensor> host_tensor(const at::Tensor& tensor, bool copy_from_device = true);

}  // namespace minrepro
