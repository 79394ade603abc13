#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/asserts/rule.h"
#include "harness/torch/sim/as_cuda_reads.h"
#include "harness/torch/sim/preconditions.h"

namespace minrepro::sim {

/// What the simulated device has to know of an operator, found once for each.
struct OpTraits {
  std::string name;                            ///< "aten::scatter_.value"
  std::vector<const AssertRule*> rules;        ///< but for those of sparse tensors
  std::vector<const AssertRule*> sparse_rules; ///< all, for calls with a sparse tensor
  const Precondition* precondition = nullptr;  ///< what its CPU kernel takes for granted; null if it checks all it needs
  const Precondition* sparse_precondition = nullptr;  ///< the same of sparse arguments
  bool writes = false;                         ///< some argument is written
  bool waits = false;                          ///< CUDA's kernel makes the host wait for the device
  bool takes_indices = false;                  ///< its second argument is a list of indices; it waits if one is a mask (nonzero counts it)
  bool takes_cpu_tensors = false;              ///< CUDA lets CPU tensors of any size stand beside its own
  bool takes_cpu_numbers = true;               ///< CUDA lets CPU tensors without dimensions stand beside its own, where it only reads them
  bool iterates = false;                       ///< it goes over its tensors element by element (TensorIterator)
  bool writes_past_strided_outs = false;       ///< the CPU kernel takes the memory of its `out` arguments to be contiguous
  bool lacks_cuda_kernel = false;              ///< CUDA has no kernel for it (known where LibTorch was built with CUDA)
  bool lacks_half_on_cpu = false;              ///< only CUDA's kernel takes half and bfloat16
  bool lacks_integers_on_cpu = false;          ///< only CUDA's kernel takes integers
  const AssertRule* cuts = nullptr;            ///< the rule of an index of which CUDA's kernel keeps fewer bits
  AsCudaReads as_cuda_reads = nullptr;         ///< gives the CPU kernel what CUDA's makes of the arguments
  std::optional<c10::OperatorHandle> instead;  ///< the operator that computes this one on the CPU, if it has another name there
  int none_before = -1;                        ///< `instead` has one more argument, None, at this position
};

/// Of `op`; stays valid. Safe from several threads.
const OpTraits& traits_of(const c10::OperatorHandle& op);

}  // namespace minrepro::sim
