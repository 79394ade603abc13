// LibTorch takes the fused dropout on this backend, as on CUDA. The CPU's kernels for it make a copy of the mask in the input's type and go over the
// data three times, which is slower than what a CPU program runs: here it is one pass. The random stream is the CPU kernels'; the factor is not rounded
// to the type of the data, as on CUDA.
#include <tuple>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones_like.h>

#include "harness/torch/sim/alias.h"
#include "harness/torch/sim/launch_state.h"

namespace minrepro::sim {
namespace {

constexpr int64_t kElementsOfThread = 32768;  // fewer are not worth a thread

/// `tensor`, or a copy of it, with the strides of `like`.
at::Tensor laid_out_as(const at::Tensor& like, const at::Tensor& tensor) {
  return tensor.strides() == like.strides() ? tensor : at::empty_like(like, like.options().dtype(tensor.dtype())).copy_(tensor);
}

/// tensor * mask * scale, on the CPU.
at::Tensor masked_scale(const at::Tensor& tensor, const at::Tensor& mask, double scale) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "Mask should be Bool Scalar Type", mask.scalar_type());
  at::Tensor result = at::empty_like(tensor);   // dense, whatever the tensor is
  const at::Tensor values = laid_out_as(result, tensor), kept_values = laid_out_as(result, mask.expand(tensor.sizes()));
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, tensor.scalar_type(), "fused_dropout", [&] {
    using Math = at::opmath_type<scalar_t>;
    const Math factor = static_cast<Math>(scale);
    const scalar_t* from = values.const_data_ptr<scalar_t>();
    const auto* kept = reinterpret_cast<const uint8_t*>(kept_values.const_data_ptr<bool>());  // compilers make three times as slow a loop of bool
    scalar_t* to = result.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, tensor.numel(), kElementsOfThread, [=](int64_t first, int64_t last) {
      // A product, so that NaN stays NaN.
      for (int64_t i = first; i < last; ++i) to[i] = static_cast<scalar_t>(static_cast<Math>(from[i]) * static_cast<Math>(int{kept[i]}) * factor);
    });
  });
  return result;
}

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor& input, double p, std::optional<bool> train) {
  on_launch();
  at::AutoDispatchBelowAutograd below_autograd;
  AliasSet aliases;
  const at::Tensor cpu = aliases.to_cpu(input);
  if (!train.value_or(true)) return {aliases.to_sim(cpu.clone()), aliases.to_sim(at::ones_like(cpu, cpu.options().dtype(at::kBool)))};
  if (cpu.numel() == 0) return {input, aliases.to_sim(at::empty_like(cpu, cpu.options()))};
  const double kept = 1 - p;
  at::Tensor mask = at::empty_like(cpu, cpu.options().dtype(at::kBool));
  mask.bernoulli_(kept);
  at::Tensor output = masked_scale(cpu, mask, kept == 0 ? 0 : 1 / kept);
  return {aliases.to_sim(std::move(output)), aliases.to_sim(std::move(mask))};
}

at::Tensor native_dropout_backward(const at::Tensor& grad, const at::Tensor& mask, double scale) {
  on_launch();
  at::AutoDispatchBelowAutograd below_autograd;
  AliasSet aliases;
  return aliases.to_sim(masked_scale(aliases.to_cpu(grad), aliases.to_cpu(mask), scale));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("native_dropout", native_dropout);
  m.impl("native_dropout_backward", native_dropout_backward);
}

}  // namespace
}  // namespace minrepro::sim
