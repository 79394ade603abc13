#pragma once

#include <cstddef>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

/// The two faces of one piece of memory: a tensor of the simulated device, and the CPU tensor that CPU kernels are given for it.
namespace minrepro::sim {

/// Whether `tensor` is defined and lives on the simulated device.
bool is_sim(const at::Tensor& tensor);

/// Both faces of each tensor of one call.
class AliasSet {
 public:
  /// The CPU face of `tensor`: same sizes, strides, offset, conj and neg bits, wrapped-number and requires-grad flags; a resizable storage on
  /// the same memory. The same tensor gives the same alias, tensors that share a storage give aliases that share one. What is not on the device
  /// comes back as it is.
  at::Tensor to_cpu(const at::Tensor& tensor);

  /// The device's face of a result: the argument itself if the kernel returned an argument, a view if it returned one, else a new tensor that
  /// takes over the memory.
  at::Tensor to_sim(const at::Tensor& result);

  /// After a kernel that writes its arguments: what it resized, restrided, conjugated or gave new memory is so on the device, too.
  void adopt_changes();

 private:
  struct Pair {
    at::Tensor sim;
    at::Tensor cpu;
  };
  /// The first pair that `matches`; `part` is the implementation of one of its tensors or storages.
  template <typename Matches>
  const Pair* find(const void* part, Matches matches) const;
  void add(const at::Tensor& sim, const at::Tensor& cpu);
  at::Tensor sparse_to_cpu(const at::Tensor& tensor);
  at::Tensor sparse_to_sim(const at::Tensor& result);
  void adopt_storage(const at::Tensor& sim, const at::Tensor& cpu);

  c10::SmallVector<Pair, 8> pairs_;
  std::unordered_map<const void*, std::size_t> pair_of_part_;  ///< by the implementations of tensors and storages, once there are many pairs
};

}  // namespace minrepro::sim
