// LibTorch takes the fused recurrent cells on this backend, as on CUDA, and they have no CPU kernel: here they are, on the memory of their arguments.
// Source of the formulas and of the workspaces' layouts: aten/src/ATen/native/cuda/RNN.cu.
#include <tuple>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include "harness/torch/sim/alias.h"
#include "harness/torch/sim/launch_state.h"

namespace minrepro::sim {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

/// One launch whose arguments are seen as CPU tensors.
class CpuScope {
 public:
  CpuScope() { on_launch(); }
  Tensor operator()(const Tensor& tensor) { return aliases_.to_cpu(tensor); }
  Tensor operator()(const OptionalTensor& tensor) { return tensor ? aliases_.to_cpu(*tensor) : Tensor(); }
  Tensor result(Tensor tensor) { return aliases_.to_sim(tensor.contiguous()); }

 private:
  at::AutoDispatchBelowAutograd below_autograd_;
  AliasSet aliases_;
};

Tensor plus(const Tensor& sum, const Tensor& bias) { return bias.defined() ? sum + bias : sum; }
Tensor sigmoid_slope(const Tensor& y) { return y * (1 - y); }
Tensor tanh_slope(const Tensor& y) { return 1 - y * y; }

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx, const OptionalTensor& input_bias,
                                             const OptionalTensor& hidden_bias) {
  CpuScope cpu;
  const Tensor gates = plus(plus(cpu(input_gates) + cpu(hidden_gates), cpu(input_bias)), cpu(hidden_bias));
  const auto parts = gates.chunk(4, 1);
  const Tensor input = parts[0].sigmoid(), forget = parts[1].sigmoid(), cell = parts[2].tanh(), output = parts[3].sigmoid();
  const Tensor cy = forget * cpu(cx) + input * cell;
  return {cpu.result(output * cy.tanh()), cpu.result(cy), cpu.result(at::cat({input, forget, cell, output}, 1))};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const OptionalTensor& grad_hy, const OptionalTensor& grad_cy, const Tensor& cx, const Tensor& cy,
                                                      const Tensor& workspace, bool has_bias) {
  if (!(grad_hy && grad_hy->defined()) && !(grad_cy && grad_cy->defined())) return {};
  CpuScope cpu;
  const auto parts = cpu(workspace).chunk(4, 1);
  const Tensor &input = parts[0], &forget = parts[1], &cell = parts[2], &output = parts[3];
  const Tensor tanh_cy = cpu(cy).tanh();
  const Tensor from_hy = cpu(grad_hy), from_cy = cpu(grad_cy);
  const Tensor grad_h = from_hy.defined() ? from_hy : at::zeros_like(from_cy);
  const Tensor grad_c = plus(grad_h * output * tanh_slope(tanh_cy), from_cy);
  const Tensor grad_gates = at::cat({grad_c * cell * sigmoid_slope(input), grad_c * cpu(cx) * sigmoid_slope(forget),
                                     grad_c * input * tanh_slope(cell), grad_h * tanh_cy * sigmoid_slope(output)},
                                    1);
  const Tensor grad_bias = has_bias ? cpu.result(grad_gates.sum(0)) : Tensor();
  return {cpu.result(grad_gates), cpu.result(grad_c * forget), grad_bias};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx, const OptionalTensor& input_bias,
                                    const OptionalTensor& hidden_bias) {
  CpuScope cpu;
  const auto from_input = plus(cpu(input_gates), cpu(input_bias)).chunk(3, 1);
  const auto from_hidden = plus(cpu(hidden_gates), cpu(hidden_bias)).chunk(3, 1);
  const Tensor reset = (from_input[0] + from_hidden[0]).sigmoid(), update = (from_input[1] + from_hidden[1]).sigmoid();
  const Tensor candidate = (from_input[2] + reset * from_hidden[2]).tanh();
  const Tensor state = cpu(hx);
  return {cpu.result(candidate + update * (state - candidate)), cpu.result(at::cat({reset, update, candidate, state, from_hidden[2]}, 1))};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad_hy, const Tensor& workspace, bool has_bias) {
  CpuScope cpu;
  const auto parts = cpu(workspace).chunk(5, 1);
  const Tensor &reset = parts[0], &update = parts[1], &candidate = parts[2], &state = parts[3], &hidden_candidate = parts[4];
  const Tensor grad = cpu(grad_hy);
  const Tensor grad_update = grad * (state - candidate) * sigmoid_slope(update);
  const Tensor grad_candidate = grad * (1 - update) * tanh_slope(candidate);
  const Tensor grad_reset = grad_candidate * hidden_candidate * sigmoid_slope(reset);
  const Tensor grad_input = at::cat({grad_reset, grad_update, grad_candidate}, 1);
  const Tensor grad_hidden = at::cat({grad_reset, grad_update, grad_candidate * reset}, 1);
  return {cpu.result(grad_input), cpu.result(grad_hidden), cpu.result(grad * update), has_bias ? cpu.result(grad_input.sum(0)) : Tensor(),
          has_bias ? cpu.result(grad_hidden.sum(0)) : Tensor()};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
  m.impl("_thnn_fused_gru_cell", gru_cell);
  m.impl("_thnn_fused_gru_cell_backward", gru_cell_backward);
}

}  // namespace
}  // namespace minrepro::sim
