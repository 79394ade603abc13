#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "harness/asserts/rule.h"
#include "harness/torch/check/call_view.h"

/// What CUDA's kernel makes of arguments that the CPU's kernel refuses, or reads in another way. The CPU kernel is given that.
namespace minrepro::sim {

/// The arguments of one call, as CPU tensors, by schema name. They are the top of `stack`, from `base` on.
class CpuArguments {
 public:
  CpuArguments(const c10::FunctionSchema& schema, torch::jit::Stack* stack, std::size_t base)
      : call_(schema, c10::ArrayRef<c10::IValue>(*stack).slice(base)), stack_(stack), base_(base) {}

  const SchemaCallView& call() const { return call_; }
  at::Tensor tensor(std::string_view name) const;        ///< undefined if there is none
  /// Hands the kernel another tensor. Precondition: the operator has this argument and does not write it.
  void give(std::string_view name, const at::Tensor& tensor);

 private:
  SchemaCallView call_;
  torch::jit::Stack* stack_;
  std::size_t base_;
};

using AsCudaReads = void (*)(CpuArguments& arguments);

/// The one for an operator, by its name with the overload; null for nearly all.
AsCudaReads as_cuda_reads(std::string_view op);

/// The indices that `rule` checks, with the bits that are left of them where its kernel keeps fewer than they have.
void cut_indices(const AssertRule& rule, CpuArguments& arguments);

}  // namespace minrepro::sim
