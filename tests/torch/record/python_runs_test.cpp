// Ways in which Python programs are run: as a module, with workers, isolated, on the simulated device.
#include <set>

#include "tests/torch/record/recorded.h"

namespace minrepro {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class ModuleRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = new Recorded({}, {MINREPRO_PYTHON, "-m", "tests_like_pytest", "-v", "--", "x"}, "export PYTHONPATH=" + script("site") + "; ");
  }
  static void TearDownTestSuite() { delete run_; }

  static Recorded* run_;
};
Recorded* ModuleRun::run_ = nullptr;

TEST_F(ModuleRun, RunsUnchangedAndTheUsersSitecustomizeTooAndFailsAsBefore) {
  EXPECT_EQ(run_->ran().status, 1) << run_->ran().error;
  EXPECT_THAT(run_->ran().output, StartsWith("ran in sitecustomize True ['-v', '--', 'x']\n"));
  EXPECT_THAT(run_->ran().output, HasSubstr("FAILED test_fails index 9 is out of bounds for dimension 0 with size 4"));
}

TEST_F(ModuleRun, TheTestThatFailedIsFoundAlthoughTheRunnerCaughtItsException) {
  const auto failure = failure_of(run_->trace());
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->op, "aten::gather");
  EXPECT_THAT(run_->said(), Contains(AllOf(HasSubstr("tests_like_pytest.py:"), HasSubstr("# fails → aten::gather"))));
}

TEST_F(ModuleRun, WorkersAndSpawnedChildrenRecordBesideIt) {
  std::set<int64_t> items;
  int spawned = 0;
  std::set<int64_t> pids;
  for (const Trace& trace : run_->processes()) {
    EXPECT_TRUE(pids.insert(trace.pid).second);
    for (const TraceCall* call : calls_at(trace, "in a worker")) {
      items.insert(*argument(trace, *call, "fill_value").get_if<int64_t>());
      EXPECT_EQ(call->state, CallState::kFinished);
      EXPECT_NE(trace.pid, run_->trace().pid);
    }
    for (const TraceCall* call : calls_at(trace, "in a spawned child")) {
      ++spawned;
      EXPECT_EQ(argument(trace, *call, "size"), Value(Value::List{int64_t{5}}));
      EXPECT_NE(trace.pid, run_->trace().pid);
    }
  }
  EXPECT_THAT(items, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(spawned, 1);
  EXPECT_GE(pids.size(), 4u);                              // itself, two workers, the spawned child
}

TEST(IsolatedPython, IsRecordedByPreloading) {
  const Recorded run({}, {MINREPRO_PYTHON, "-I", "-c", "import sys, torch\nprint(torch.ones(2).neg().tolist(), sys.flags.isolated)\n"});
  EXPECT_EQ(run.ran().status, 0) << run.ran().error;
  EXPECT_EQ(run.ran().output, "[-1.0, -1.0] 1\n");
  std::vector<std::string> ops;
  for (const TraceCall& call : run.trace().calls) ops.push_back(op_of(run.trace(), call));
  EXPECT_THAT(ops, AllOf(Contains("aten::ones"), Contains("aten::neg")));
}

TEST(IsolatedPython, CannotBeSimulatedAndSaysSo) {
  const Ran ran = run_minrepro({"record", "-o", "unused.trace", "--simulate", "--", MINREPRO_PYTHON, "-I", "-c", "pass"}, "/tmp");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.error, HasSubstr("python -I and -E keep out the start-up hook"));
  EXPECT_EQ(ran.error_lines(), 1);
}

class SimulatedRun : public testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new Recorded({"--simulate"}, {MINREPRO_PYTHON, script("simulated.py")}); }
  static void TearDownTestSuite() { delete run_; }

  static Recorded* run_;
};
Recorded* SimulatedRun::run_ = nullptr;

TEST_F(SimulatedRun, FiveLinesTellTheSymptomTheCulpritAndWhatToDoNext) {
  EXPECT_EQ(run_->ran().status, 1);
  EXPECT_TRUE(run_->trace().simulated);
  const auto said = run_->said();
  ASSERT_EQ(said.size(), 5u) << run_->ran().error;
  EXPECT_THAT(said[0], MatchesRegex("the error surfaced at .*simulated.py:12, print\\(total.item\\(\\)\\)  # symptom → aten::(item|_local_scalar_dense)"));
  EXPECT_THAT(said[1],
              MatchesRegex("its cause is  .*simulated.py:10, onehot.scatter_\\(1, labels.unsqueeze\\(1\\), 1.0\\)  # culprit → aten::scatter_.value.*"));
  EXPECT_THAT(said[2], AllOf(StartsWith("  "), HasSubstr("5"), HasSubstr("3")));
  EXPECT_THAT(said[3], AllOf(StartsWith("  on CUDA: ScatterGatherKernel.cu, `"), EndsWith("(simulated)")));
  EXPECT_THAT(said[4], MatchesRegex("recorded [0-9]+ calls in run.trace; next:  minrepro reduce run.trace"));
}

/// The matrix product among the calls of a backward pass.
const TraceCall* product_at(const Trace& trace, const std::string& line) {
  const TraceCall* product = nullptr;
  for (const TraceCall* call : calls_at(trace, line))
    if (op_of(trace, *call) == "aten::mm") product = call;
  return product;
}

TEST_F(SimulatedRun, TheBackwardPassRunsOnTheThreadThatCallsIt) {
  const TraceCall* product = product_at(run_->trace(), "backward");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->thread, call_at(run_->trace(), "culprit").thread);
}

TEST_F(SimulatedRun, ABackwardPassOnAnotherThreadIsRecordedAtItsLine) {
  const TraceCall* product = product_at(run_->trace(), "elsewhere");
  ASSERT_NE(product, nullptr);
  EXPECT_NE(product->thread, call_at(run_->trace(), "culprit").thread);
}

TEST_F(SimulatedRun, WhatTheRuleReadIsInTheTrace) {
  ASSERT_FALSE(run_->trace().violations.empty());
  const TraceViolation& violation = run_->trace().violations.front();
  EXPECT_EQ(violation.call, failure_of(run_->trace())->call);
  const Schema& schema = run_->trace().ops[static_cast<std::size_t>(violation.op_index)];
  for (std::size_t i = 0; i < schema.arguments.size(); ++i)
    EXPECT_TRUE(schema.arguments[i].name != "index" || tensor_of(run_->trace(), violation.args[i]).data.has_value());
}

}  // namespace
}  // namespace minrepro
