// A violated rule behaves as a device-side assert does on CUDA.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "harness/torch/check/violation_event.h"
#include "tests/torch/sim/failing_calls.h"

namespace {

/// What the device told the recorder, which is this test program.
struct Told {
  int times = 0;
  std::string op;
  std::string rule;
  bool on_device = false;
} told;

}  // namespace

extern "C" __attribute__((visibility("default"))) void minrepro_record_violation(const minrepro::ViolationEvent* event) {
  ++told.times;
  told.op = event->schema->name();
  told.rule = std::string(event->violation->rule->id);
  told.on_device = event->arguments[0].toTensor().device().type() == c10::DeviceType::PrivateUse1;
}

namespace minrepro::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DeviceAssert : public SimTest {};

TEST_F(DeviceAssert, TheCallReturnsGarbageWithTheRightMetadata) {
  const at::Tensor rows = bad_lookup();
  EXPECT_EQ(rows.sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(rows.scalar_type(), at::kFloat);
  EXPECT_EQ(rows.device(), sim());
}

TEST_F(DeviceAssert, PrintsCudasLinesForTheOffendingElementsThenItsOwn) {
  ::testing::internal::CaptureStderr();
  bad_lookup();
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, ::testing::ContainsRegex("/pytorch/aten/src/ATen/native/cuda/Indexing\\.cu:[0-9]+: .*: block: \\[0,0,0\\], thread: "
                                                "\\[1,0,0\\] Assertion `.*srcIndex < srcSelectDimSize.*` failed\\.\n"));
  EXPECT_THAT(printed, HasSubstr("minrepro-sim: (simulated) in aten::index_select: "));
}

TEST_F(DeviceAssert, PrintsAtMostEightThreads) {
  ::testing::internal::CaptureStderr();
  at::index_select(at::ones({4}, sim()), 0, at::full({100}, 9, at::TensorOptions(sim()).dtype(at::kLong)));
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 9);
}

TEST_F(DeviceAssert, SurfacesAtItem) {
  const at::Tensor sum = bad_lookup().sum();
  const std::string error = sticky_error_of([&] { sum.item(); });
  EXPECT_THAT(error, StartsWith("CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert' in "));
  EXPECT_THAT(error, HasSubstr("For debugging consider passing CUDA_LAUNCH_BLOCKING=1"));
}

TEST_F(DeviceAssert, SurfacesWhereverTheHostWaits) {
  const at::Tensor on_host = at::ones({2});
  const std::vector<std::function<void(const at::Tensor&)>> waits = {
      [](const at::Tensor& rows) { rows.cpu(); },      [](const at::Tensor&) { minrepro_sim_synchronize(); },
      [](const at::Tensor& rows) { rows.nonzero(); },  [&](const at::Tensor&) { on_host.to(sim()); },
      [](const at::Tensor& rows) { at::equal(rows, rows); }};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    minrepro_sim_reset();
    const at::Tensor rows = bad_lookup();
    EXPECT_NE(sticky_error_of([&] { waits[i](rows); }), "") << i;
  }
}

TEST_F(DeviceAssert, SurfacesAfterTwentyLaunches) {
  at::Tensor rows = bad_lookup();
  int launches = 0;
  while (launches < 100 && sticky_error_of([&] { rows = rows + 1; }).empty()) ++launches;
  EXPECT_EQ(launches, 20);
}

TEST_F(DeviceAssert, OnceSurfacedEveryCallThrows) {
  const at::Tensor rows = bad_lookup();
  EXPECT_NE(sticky_error_of([] { minrepro_sim_synchronize(); }), "");
  EXPECT_NE(sticky_error_of([&] { rows.add(1); }), "");
  EXPECT_NE(sticky_error_of([] { at::empty({2}, sim()); }), "");
}

TEST_F(DeviceAssert, ResetGivesAHealthyDevice) {
  bad_lookup();
  EXPECT_NE(sticky_error_of([] { minrepro_sim_synchronize(); }), "");
  minrepro_sim_reset();
  EXPECT_EQ(at::ones({3}, sim()).sum().item<float>(), 3.0f);
  EXPECT_EQ(violation(), "");
}

TEST_F(DeviceAssert, TellsTheViolation) {
  EXPECT_EQ(violation(), "");
  bad_lookup();
  const auto report = nlohmann::json::parse(violation());
  EXPECT_EQ(report.at("op"), "aten::index_select");
  EXPECT_EQ(report.at("file"), "Indexing.cu");
  EXPECT_THAT(report.at("text").get<std::string>(), HasSubstr("7"));
  char small[8];
  EXPECT_TRUE(minrepro_sim_violation(small, sizeof small));
  EXPECT_EQ(std::string(small).size(), 7u);
}

TEST_F(DeviceAssert, TellsTheRecorderOnceWithTensorsOfTheDevice) {
  told = {};
  bad_lookup();
  bad_lookup();
  EXPECT_EQ(told.times, 1);
  EXPECT_EQ(told.op, "aten::index_select");
  EXPECT_EQ(told.rule, nlohmann::json::parse(violation()).at("rule"));
  EXPECT_TRUE(told.on_device);
}

TEST_F(DeviceAssert, OnlyTheFirstViolationIsReported) {
  bad_lookup();
  ::testing::internal::CaptureStderr();
  at::gather(at::ones({2, 2}, sim()), 1, at::full({2, 2}, 5, at::TensorOptions(sim()).dtype(at::kLong)));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(nlohmann::json::parse(violation()).at("op"), "aten::index_select");
}

TEST_F(DeviceAssert, HostChecksComeFirstAndPoisonNothing) {
  const at::Tensor logits = at::ones({4, 3}, sim());
  const at::Tensor labels = at::full({5}, 9, at::TensorOptions(sim()).dtype(at::kLong));  // five labels for four rows, and 9 is no class
  EXPECT_THROW(at::nll_loss_forward(logits, labels, {}, 1, -100), c10::Error);
  EXPECT_EQ(violation(), "");
  EXPECT_EQ(sticky_error_of([] { minrepro_sim_synchronize(); }), "");
}

TEST_F(DeviceAssert, KernelsThatWouldCrashOnTheCpuDoNot) {
  const at::Tensor labels = at::full({1, 2, 2}, 1 << 28, at::TensorOptions(sim()).dtype(at::kLong));
  const at::Tensor scores = at::ones({1, 3, 2, 2}, sim());
  const at::Tensor weight_sum = at::ones({}, sim());
  // CPU: SIGSEGV. CUDA: an assertion.
  const at::Tensor gradient = at::nll_loss2d_backward(at::ones({}, sim()), scores, labels, {}, at::Reduction::Mean, -100, weight_sum);
  EXPECT_EQ(gradient.sizes(), scores.sizes());
  EXPECT_NE(violation(), "");
}

TEST_F(DeviceAssert, KernelsWithoutAnAssertionMakeAnIllegalAccess) {
  const at::Tensor indices = at::full({3}, 1 << 20, at::TensorOptions(sim()).dtype(at::kLong));
  ::testing::internal::CaptureStderr();
  const at::Tensor gradient = at::embedding_dense_backward(at::ones({3, 2}, sim()), indices, 4, -1, false);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, StartsWith("minrepro-sim: (simulated) in aten::embedding_dense_backward: embedding_dense_backward.indices: "));
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 1);
  EXPECT_EQ(gradient.sizes(), at::IntArrayRef({4, 2}));
  EXPECT_EQ(nlohmann::json::parse(violation()).at("rule"), "embedding_dense_backward.indices");
  EXPECT_THAT(sticky_error_of([&] { gradient.cpu(); }, 700),
              StartsWith("CUDA error: an illegal memory access was encountered\nSearch for `cudaErrorIllegalAddress' in "));
}

TEST_F(DeviceAssert, BackwardOfAFailedCallDoesNotCrash) {
  const at::Tensor table = at::ones({4, 2}, sim()).requires_grad_(true);
  at::embedding(table, at::full({2}, 1 << 28, at::TensorOptions(sim()).dtype(at::kLong))).sum().backward();
  EXPECT_EQ(table.grad().sizes(), table.sizes());
  EXPECT_NE(sticky_error_of([&] { table.grad().cpu(); }), "");
}

TEST_F(DeviceAssert, InPlaceCallsReturnTheirArgument) {
  at::Tensor one_hot = at::zeros({2, 2}, sim());
  const at::Tensor& returned = one_hot.scatter_(1, at::full({2, 1}, 2, at::TensorOptions(sim()).dtype(at::kLong)), 1.0);
  EXPECT_TRUE(returned.is_same(one_hot));
  EXPECT_NE(violation(), "");
}

TEST_F(DeviceAssert, AnEmptyTableHasNoGarbageToReturn) {
  const at::Tensor indices = at::zeros({2, 1}, at::TensorOptions(sim()).dtype(at::kLong));
  EXPECT_NE(sticky_error_of([&] { at::index_select(at::ones({2, 0}, sim()), 1, indices.flatten()); }), "");
}

TEST_F(DeviceAssert, ViewsAreMadeWithoutTheDevice) {
  const at::Tensor rows = bad_lookup();
  EXPECT_NE(sticky_error_of([] { minrepro_sim_synchronize(); }), "");
  EXPECT_EQ(rows.view({6}).sizes(), at::IntArrayRef({6}));
}

TEST_F(DeviceAssert, ValidEdgesPass) {
  const at::TensorOptions integers = at::TensorOptions(sim()).dtype(at::kLong);
  at::index_select(at::ones({4}, sim()), 0, at::empty({0}, integers));
  at::nll_loss_forward(at::ones({1, 3}, sim()), at::full({1}, -100, integers), {}, 1, -100);
  at::ones({4}, sim()).index({std::optional<at::Tensor>(at::full({1}, -4, integers))});
  EXPECT_EQ(violation(), "");
}

}  // namespace
}  // namespace minrepro::sim
