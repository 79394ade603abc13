// Memory of the simulated device: views, in-place calls, results, resizing, copies.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include "tests/torch/sim/failing_calls.h"

namespace minrepro::sim {
namespace {

class Memory : public SimTest {};

void expect_equal(const at::Tensor& on_sim, const at::Tensor& expected) {
  EXPECT_EQ(on_sim.device(), sim());
  EXPECT_TRUE(at::equal(on_sim.cpu(), expected)) << on_sim.cpu() << "\n" << expected;
}

TEST_F(Memory, ViewsShareAndInPlaceCallsWriteThrough) {
  const at::Tensor base = at::zeros({2, 3}, sim());
  at::Tensor row = base.select(0, 1);
  EXPECT_TRUE(row.is_alias_of(base));
  EXPECT_TRUE(row.add_(2).is_same(row));
  expect_equal(base, at::tensor({0.f, 0.f, 0.f, 2.f, 2.f, 2.f}).view({2, 3}));
  expect_equal(base.t().contiguous(), at::tensor({0.f, 2.f, 0.f, 2.f, 0.f, 2.f}).view({3, 2}));
}

TEST_F(Memory, ThePointerOfAStorageIsItsContext) {
  for (const at::Tensor& tensor : {at::empty({3}, sim()), at::ones({3}, sim()) + 1, at::ones({2, 2}, sim()).mm(at::ones({2, 2}, sim()))}) {
    EXPECT_EQ(tensor.storage().data_ptr().get(), tensor.storage().data_ptr().get_context());
  }
}

TEST_F(Memory, OutArgumentsAreResizedAndReturned) {
  at::Tensor out = at::empty({0}, sim());
  EXPECT_TRUE(at::add_out(out, at::ones({3}, sim()), at::ones({3}, sim())).is_same(out));
  expect_equal(out, at::full({3}, 2.f));
  at::Tensor values = at::empty({0}, sim()), indices = at::empty({0}, at::TensorOptions(sim()).dtype(at::kLong));
  at::sort_out(values, indices, at::tensor({3.f, 1.f}).to(sim()));
  expect_equal(indices, at::tensor({1, 0}, at::kLong));
}

TEST_F(Memory, OutArgumentsWithAnyStridesAreWrittenWhereTheyLie) {
  const at::Tensor x = at::arange(225.f).view({3, 3, 5, 5});
  at::Tensor memory = at::full({5, 5, 3, 3}, -1.f, sim());
  at::Tensor out = memory.permute({3, 2, 1, 0});
  EXPECT_TRUE(at::tril_out(out, x.to(sim())).is_same(out));
  expect_equal(out, at::tril(x));
  EXPECT_EQ(out.strides(), at::IntArrayRef({1, 3, 9, 45}));
}

TEST_F(Memory, OutArgumentsAreConjugatedLazily) {
  at::manual_seed(1);
  const at::Tensor a = at::randn({3, 3}, at::kComplexDouble), b = at::randn({2, 3}, at::kComplexDouble);
  const auto solve = [&](at::Device device) {
    const auto [factors, pivots] = at::linalg_lu_factor(a);
    at::Tensor out = at::empty({0}, at::TensorOptions(device).dtype(at::kComplexDouble));
    at::linalg_lu_solve_out(out, factors.to(device), pivots.to(device), b.to(device), /*left=*/false, /*adjoint=*/true);
    return out;
  };
  const at::Tensor expected = solve(at::kCPU), got = solve(sim());
  EXPECT_TRUE(expected.is_conj());
  EXPECT_TRUE(got.is_conj());
  EXPECT_TRUE(at::allclose(got.cpu(), expected));
}

TEST_F(Memory, GrowingKeepsElementsAndEveryViewFollows) {
  const at::Tensor base = at::arange(3, sim());
  const at::Tensor view = base.view({3});
  base.resize_({1000});
  EXPECT_EQ(base.storage().data(), view.storage().data());
  expect_equal(base.slice(0, 0, 3), at::arange(3));
  base.resize_({2});
  expect_equal(base, at::arange(2));
}

TEST_F(Memory, SetPointsAtAnotherStorage) {
  const at::Tensor from = at::arange(4, sim());
  at::Tensor to = at::empty({0}, from.options());
  to.set_(from.storage(), 1, {2}, {2});
  expect_equal(to, at::tensor({1, 3}, at::kLong));
  to.fill_(9);
  expect_equal(from, at::tensor({0, 9, 2, 9}, at::kLong));
  to.set_();
  EXPECT_EQ(to.numel(), 0);
}

TEST_F(Memory, CopiesConvertBroadcastAndGoBothWays) {
  at::Tensor half = at::empty({2, 2}, at::TensorOptions(sim()).dtype(at::kHalf));
  half.copy_(at::tensor({1.f, 2.f}));
  expect_equal(half.to(at::kFloat), at::tensor({1.f, 2.f, 1.f, 2.f}).view({2, 2}));
  at::Tensor host = at::empty({2, 2});
  host.t().copy_(half);
  EXPECT_TRUE(at::equal(host, at::tensor({1.f, 1.f, 2.f, 2.f}).view({2, 2})));
}

TEST_F(Memory, LazyConjugationAndNegationAreResolved) {
  const at::Tensor numbers = at::complex(at::tensor({1.f, 2.f}), at::tensor({3.f, -4.f}));
  const at::Tensor on_sim = numbers.to(sim());
  EXPECT_TRUE(on_sim.conj().is_conj());
  expect_equal(on_sim.conj().resolve_conj(), numbers.conj().resolve_conj());
  expect_equal(at::imag(on_sim.conj()).resolve_neg(), at::imag(numbers.conj()).resolve_neg());
  expect_equal(on_sim.conj() * on_sim, (numbers.conj() * numbers));
}

TEST_F(Memory, ScalarsFromTheHostAreTakenOtherTensorsAreNot) {
  const at::Tensor on_sim = at::ones({2, 2}, sim());
  expect_equal(on_sim * at::scalar_tensor(3), at::full({2, 2}, 3.f));
  EXPECT_THAT([&] { on_sim + at::ones({2, 2}); }, ::testing::ThrowsMessage<c10::Error>(::testing::HasSubstr("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")));
  EXPECT_THAT([&] { on_sim.mm(at::ones({2, 2})); },
              ::testing::ThrowsMessage<c10::Error>(::testing::HasSubstr("Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0")));
  EXPECT_EQ(violation(), "");
}

TEST_F(Memory, IndicesMayLieOnTheHost) {
  const at::Tensor on_sim = at::arange(4, sim());
  expect_equal(on_sim.index({std::optional<at::Tensor>(at::tensor({3, 0}, at::kLong))}), at::tensor({3, 0}, at::kLong));
}

TEST_F(Memory, PinnedMemorySaysSo) {
  EXPECT_FALSE(at::ones({3}).is_pinned());
  EXPECT_TRUE(at::ones({3}).pin_memory().is_pinned());
}

}  // namespace
}  // namespace minrepro::sim
