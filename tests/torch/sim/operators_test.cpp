// The simulated device computes what the CPU computes.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/torch/sim/failing_calls.h"

namespace minrepro::sim {
namespace {

class Operators : public SimTest {};

void expect_close(const at::Tensor& on_sim, const at::Tensor& expected) {
  EXPECT_EQ(on_sim.device(), sim());
  EXPECT_EQ(on_sim.sizes(), expected.sizes());
  EXPECT_TRUE(at::allclose(on_sim.cpu(), expected, 1e-5, 1e-6)) << on_sim.cpu() << "\n" << expected;
}

TEST_F(Operators, ListsOfTensorsGoInAndOut) {
  const at::Tensor x = at::arange(6).view({2, 3});
  const auto parts = at::split(x.to(sim()), 1);
  EXPECT_TRUE(parts[0].is_alias_of(parts[1]));
  expect_close(at::cat({parts[1], parts[0]}), at::cat({x[1].unsqueeze(0), x[0].unsqueeze(0)}));
  std::vector<at::Tensor> list = {at::ones({2}, sim()), at::ones({3}, sim())};
  at::_foreach_add_(list, 1);
  expect_close(list[1], at::full({3}, 2.f));
}

TEST_F(Operators, ConvolutionAndItsGradients) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({2, 3, 8, 8}), w = at::randn({4, 3, 3, 3}), g = at::randn({2, 4, 6, 6});
  expect_close(at::conv2d(x.to(sim()), w.to(sim())), at::conv2d(x, w));
  const auto gradients = [&](at::Device device) {
    return at::convolution_backward(g.to(device), x.to(device), w.to(device), at::IntArrayRef({0}), {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1,
                                    {false, true, false});
  };
  EXPECT_FALSE(std::get<0>(gradients(sim())).defined());
  expect_close(std::get<1>(gradients(sim())), std::get<1>(gradients(at::kCPU)));
}

TEST_F(Operators, DropoutIsTheCpus) {
  const at::Tensor values = at::cat({at::randn({30}), at::full({6}, std::numeric_limits<float>::infinity())}).view({4, 9});
  for (const at::Tensor& x : {values, values.t(), values.slice(1, 0, 9, 2), values.to(at::kDouble), values.slice(0, 0, 0), values[1][1]}) {
    for (const double p : {0.0, 0.4, 1.0}) {
      const auto run = [&](at::Device device) {
        at::manual_seed(5);
        const auto [out, mask] = at::native_dropout(x.to(device), p, true);
        const at::Tensor gradient = x.numel() > 0 ? at::native_dropout_backward(x.to(device), mask, 1.5) : out;
        const at::Tensor across = x.dim() == 2 && x.numel() > 0 ? at::native_dropout_backward(x.t().contiguous().t().to(device), mask, 1.5) : out;
        return std::vector<at::Tensor>{out, mask, gradient, across};
      };
      const auto on_sim = run(sim()), on_cpu = run(at::kCPU);
      for (std::size_t i = 0; i < on_cpu.size(); ++i) {
        EXPECT_EQ(on_sim[i].strides(), on_cpu[i].strides()) << i;
        EXPECT_TRUE(at::allclose(on_sim[i].cpu(), on_cpu[i], 0, 0, /*equal_nan=*/true)) << i;
      }
    }
  }
}

TEST_F(Operators, AttentionTakesTheCpusFusedKernel) {
  at::manual_seed(6);
  const at::Tensor q = at::randn({2, 4, 7, 8}), k = at::randn({2, 4, 7, 8}), v = at::randn({2, 4, 7, 8});
  const auto run = [&](at::Device device) {
    const at::Tensor query = q.to(device).requires_grad_(true);
    const at::Tensor out = at::scaled_dot_product_attention(query, k.to(device), v.to(device), {}, 0, /*is_causal=*/true);
    out.sum().backward();
    return std::vector<at::Tensor>{out.detach().cpu(), query.grad().cpu()};
  };
  const auto on_sim = run(sim()), on_cpu = run(at::kCPU);
  EXPECT_TRUE(at::equal(on_sim[0], on_cpu[0]));
  EXPECT_TRUE(at::equal(on_sim[1], on_cpu[1]));
}

TEST_F(Operators, RecurrentCellsAndTheirGradients) {
  at::manual_seed(2);
  const auto run = [](at::Device device, bool lstm) {
    const int64_t gates = lstm ? 4 : 3;
    at::manual_seed(3);
    const auto leaf = [&](at::IntArrayRef size) { return at::randn(size).to(device).requires_grad_(true); };
    const at::Tensor x = leaf({2, 3}), h = leaf({2, 5}), c = leaf({2, 5});
    const at::Tensor wi = leaf({gates * 5, 3}), wh = leaf({gates * 5, 5}), bi = leaf({gates * 5}), bh = leaf({gates * 5});
    at::Tensor out;
    if (lstm) {
      const auto [hy, cy] = at::lstm_cell(x, {h, c}, wi, wh, bi, bh);
      out = hy * 2 + cy;
    } else {
      out = at::gru_cell(x, h, wi, wh, bi, bh);
    }
    out.sum().backward();
    std::vector<at::Tensor> results = {out.detach(), x.grad(), h.grad(), wi.grad(), wh.grad(), bi.grad(), bh.grad()};
    if (lstm) results.push_back(c.grad());
    return results;
  };
  for (const bool lstm : {true, false}) {
    const auto expected = run(at::kCPU, lstm), got = run(sim(), lstm);
    for (std::size_t i = 0; i < expected.size(); ++i) expect_close(got[i], expected[i]);
  }
}

TEST_F(Operators, SeedsMeanTheSameAsOnTheCpu) {
  at::manual_seed(7);
  const at::Tensor expected = at::randn({5});
  at::manual_seed(7);
  expect_close(at::randn({5}, sim()), expected);
}

TEST_F(Operators, SparseTensorsOfBothKinds) {
  const at::Tensor dense = at::eye(3, at::TensorOptions(sim()));
  const at::Tensor coo = dense.to_sparse();
  EXPECT_EQ(coo.device(), sim());
  expect_close(coo.to_dense(), at::eye(3));
  expect_close((coo + coo).coalesce().values(), at::full({3}, 2.f));
  expect_close(dense.to_sparse_csr().matmul(at::ones({3, 2}, sim())), at::ones({3, 2}));
}

TEST_F(Operators, OptionalResultsStayUndefined) {
  const at::Tensor x = at::randn({2, 4}, sim());
  const auto [out, mean, rstd] = at::native_layer_norm(x, {4}, {}, {}, 1e-5);
  const auto [dx, dw, db] = at::native_layer_norm_backward(at::ones_like(x), x, {4}, mean, rstd, {}, {}, {true, false, false});
  EXPECT_TRUE(dx.defined());
  EXPECT_FALSE(dw.defined());
}

TEST_F(Operators, TheCpuKernelComesBeforeTheKernelForAnyBackend) {
  at::manual_seed(4);
  const at::Tensor x = at::randn({4, 3}).to(at::kBFloat16), weight = at::randn({3}).to(at::kBFloat16);
  const auto on_cpu = at::native_layer_norm(x, {3}, weight, {}, 0.5);
  const auto on_sim = at::native_layer_norm(x.to(sim()), {3}, weight.to(sim()), {}, 0.5);
  EXPECT_TRUE(at::equal(std::get<0>(on_sim).cpu(), std::get<0>(on_cpu)));
  EXPECT_EQ(std::get<1>(on_sim).scalar_type(), std::get<1>(on_cpu).scalar_type());
}

TEST_F(Operators, KernelsForAnyBackendThatRefuseThisOneAreReplaced) {
  const at::Tensor numbers = at::complex(at::tensor({1.f, 2.f}), at::tensor({3.f, -4.f}));
  EXPECT_TRUE(at::equal(numbers.to(sim()).conj_physical_().cpu(), numbers.conj().resolve_conj()));
  at::Tensor values = at::empty({0}, sim()), indices = at::empty({0}, at::TensorOptions(sim()).dtype(at::kLong));
  at::mode_out(values, indices, at::tensor({2.f, 1.f, 2.f}).to(sim()));
  expect_close(values, at::scalar_tensor(2.f));
  expect_close(at::kaiser_window(5, at::TensorOptions(sim())), at::kaiser_window(5));
}

TEST_F(Operators, AnInPlaceCallDoesNotBroadcastItsTarget) {
  at::Tensor x = at::ones({}, sim());
  EXPECT_THROW(x.addr_(at::ones({2}, sim()), at::ones({3}, sim())), c10::Error);
}

TEST_F(Operators, KernelsSeeThatAGradientIsWanted) {
  const auto gradient = [](at::Device device) {
    const at::Tensor a = at::eye(3).to_sparse_csr().to(device), b = at::arange(6.f).view({3, 2}).to(device).requires_grad_(true);
    // With "amax" the forward kernel notes which elements were taken only if a gradient is wanted.
    std::get<0>(at::_sparse_mm_reduce_impl(a, b, "amax")).sum().backward();
    return b.grad();
  };
  expect_close(gradient(sim()), gradient(at::kCPU));
}

}  // namespace
}  // namespace minrepro::sim
