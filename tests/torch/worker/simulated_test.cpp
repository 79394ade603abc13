#include <gmock/gmock.h>

#include "tests/oracle/worker_under_test.h"

/// Programs on the simulated device: the culprit is the call that violated a rule, the symptom the call that said so.
namespace minrepro {
namespace {

class Simulated : public WithWorker {
 protected:
  void SetUp() override {
    if (!exists(built_worker().sim_library)) GTEST_SKIP() << built_worker().sim_library << " is not built";
  }
};

/// A bad gather between calls that have nothing to do with it; `after` more calls follow.
std::string bad_gather_then(int after) {
  std::string calls = R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [3]},
    {"op": "aten::gather", "args": {"self": {"tensor": 3}, "dim": 1, "index": {"tensor": 1}}, "results": [4]})";
  for (int i = 0; i < after; ++i)
    calls += R"(, {"op": "aten::neg", "args": {"self": {"tensor": )" + std::to_string(4 + i) + R"(}}, "results": [)" + std::to_string(5 + i) + "]}";
  return R"({"minrepro_program": 1, "device": "sim", "leaves": [{"id": 0, "dtype": "float32", "shape": [2, 5], "constant": 1.0},
    {"id": 1, "dtype": "int64", "shape": [2, 1], "values": [0, 7]}], "calls": [)" + calls + "]}";
}

TEST_F(Simulated, GoodProgramsRun) {
  EXPECT_EQ(run(gather(5, 1, "sim")).kind, FailureKind::kNone);
  EXPECT_EQ(run_here(gather(5, 1, "sim")).kind, FailureKind::kNone);
}

TEST_F(Simulated, ViolationIsADeviceAssertOfItsCall) {
  for (const Outcome& outcome : {run(bad_gather_then(0)), run_here(bad_gather_then(0))}) {
    EXPECT_EQ(outcome.kind, FailureKind::kDeviceAssert) << outcome.message;
    EXPECT_EQ(outcome.call, 1);
    EXPECT_EQ(outcome.symptom_call, -1) << "it surfaced at the last synchronisation";
    EXPECT_EQ(outcome.file, "ScatterGatherKernel.cu");
    EXPECT_FALSE(outcome.rule.empty());
    EXPECT_EQ(signature_of(outcome).op, "aten::gather");
    EXPECT_EQ(signature_of(outcome).detail, outcome.rule);
    EXPECT_THAT(outcome.message, testing::HasSubstr("7"));
  }
}

TEST_F(Simulated, SymptomComesLaterThanTheCulprit) {
  const Outcome outcome = run(bad_gather_then(200));
  EXPECT_EQ(outcome.kind, FailureKind::kDeviceAssert) << outcome.message;
  EXPECT_EQ(outcome.call, 1);
  EXPECT_GT(outcome.symptom_call, 1);
  EXPECT_EQ(outcome.exception_type, "c10::AcceleratorError");
  EXPECT_EQ(signature_of(outcome), signature_of(run(bad_gather_then(0))));
}

TEST_F(Simulated, PoisonDoesNotReachTheNextProgram) {
  RunLimits limits;
  limits.contained = false;
  const auto outcomes = run({program_of(bad_gather_then(0)), program_of(gather(5, 1, "sim")), program_of(bad_gather_then(0))}, limits);
  EXPECT_EQ(outcomes[0].kind, FailureKind::kDeviceAssert);
  EXPECT_EQ(outcomes[1].kind, FailureKind::kNone);
  EXPECT_EQ(outcomes[2].kind, FailureKind::kDeviceAssert);
}

TEST_F(Simulated, HostChecksRaiseAtOnce) {
  const Outcome outcome = run(R"({"minrepro_program": 1, "device": "sim", "leaves": [{"id": 0, "dtype": "float32", "shape": [2, 5], "constant": 1.0}],
    "calls": [{"op": "aten::view", "args": {"self": {"tensor": 0}, "size": [3]}, "results": [1]}]})");
  EXPECT_EQ(outcome.kind, FailureKind::kException);
  EXPECT_EQ(outcome.op, "aten::view");
}

TEST_F(Simulated, StridesAndViewsAreKept) {
  auto captured = worker()->capture(program_of(R"({"minrepro_program": 1, "device": "sim",
    "leaves": [{"id": 0, "dtype": "int32", "shape": [2, 3], "strides": [1, 2], "values": [1, 2, 3, 4, 5, 6]}, {"id": 1, "dtype": "int32", "shape": [2], "strides": [3], "view_of": 0, "offset": 1}],
    "calls": [{"op": "aten::add.Tensor", "args": {"self": {"tensor": 0}, "other": {"tensor": 0}}, "results": [2]},
              {"op": "aten::stack", "args": {"tensors": [{"tensor": 0}, {"tensor": 1}]}, "results": [3]}]})"), 1, {});
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->at(0).device, "sim");
  EXPECT_EQ(captured->at(0).meta.strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(captured->at(1).meta.strides, (std::vector<int64_t>{3}));
  const auto* numbers = reinterpret_cast<const int32_t*>(captured->at(1).data.data());
  EXPECT_EQ(std::vector<int32_t>(numbers, numbers + 2), (std::vector<int32_t>{4, 3})) << "the storage holds 1 4 2 5 3 6";
}

TEST(Cuda, WithoutADeviceIsOneClearLine) {
  if (exists("/dev/nvidia0")) GTEST_SKIP() << "there is a CUDA device here";
  auto worker = Worker::start(built_worker());
  ASSERT_TRUE(worker);
  const Program program = program_of(gather(5, 1, "cuda"));
  auto outcomes = (*worker)->run(std::span(&program, 1), RunLimits{});
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_EQ(outcomes->front().kind, FailureKind::kInvalid);
  EXPECT_THAT(outcomes->front().message, testing::HasSubstr("CUDA"));
  EXPECT_EQ(outcomes->front().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace minrepro
