#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/trace/summary.h"
#include "tests/support/trace_builder.h"

namespace minrepro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kExit1 = 1 << 8;            // as waitpid gives it
constexpr int kSegv = 11;

struct FailureOf : testing::Test {
  TraceBuilder b;
  int neg = b.op("aten::neg(Tensor self) -> Tensor");
  int gather = b.op("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor");

  FailureOf() {
    b.trace.folder = "/home/user/train.trace";
    b.trace.sources = {{"/home/user/train.py", 10, "main", "x = -x"}, {"/home/user/train.py", 20, "main", "x.gather(1, i)"}, {"/home/user/train.py", 30, "main", "x.item()"}};
  }
  int call(int op, int source, CallState state = CallState::kFinished) {
    const int index = b.call(op, {b.tensor(1)}, {}, state);
    b.trace.calls.back().source = source;
    return index;
  }
  std::vector<std::string> summary() { return summary_of(b.trace, "/home/user"); }
};

TEST_F(FailureOf, AGoodEndIsNoFailureEvenAfterACaughtException) {
  call(neg, 0, CallState::kThrew);
  call(neg, 0);
  b.trace.wait_status = 0;
  EXPECT_FALSE(failure_of(b.trace));
  EXPECT_THAT(summary(), ElementsAre("no failure; recorded 2 calls in train.trace"));
}

TEST_F(FailureOf, AViolationIsTheCulpritAndTheThrownCallTheSymptom) {
  call(neg, 0);
  const int culprit = call(gather, 1);
  call(neg, 0);
  const int symptom = call(neg, 2, CallState::kThrew);
  b.trace.violations.push_back({culprit, "aten::gather", "scatter_gather.index", "index holds 9", "Kernel.cu", "i < n", {}, gather});
  b.trace.simulated = true;
  b.trace.wait_status = kExit1;
  const auto failure = failure_of(b.trace);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->call, culprit);
  EXPECT_EQ(failure->symptom_call, symptom);
  EXPECT_EQ(failure->kind, "device assert");
  EXPECT_EQ(failure->rule, "scatter_gather.index");
  const std::vector<std::string> lines = summary();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "the error surfaced at train.py:30, x.item() → aten::neg");
  EXPECT_EQ(lines[1], "its cause is  train.py:20, x.gather(1, i) → aten::gather");
  EXPECT_EQ(lines[2], "  index holds 9");
  EXPECT_EQ(lines[3], "  on CUDA: Kernel.cu, `i < n` (simulated)");
  EXPECT_EQ(lines.back(), "recorded 4 calls in train.trace; next:  minrepro reduce train.trace");
}

TEST_F(FailureOf, ADeviceErrorThatSurfacesOutsideOfACallIsShownAtTheExceptionsLine) {
  const int culprit = call(gather, 1);
  b.trace.violations.push_back({culprit, "aten::gather", "no such rule", "index holds 9", "Kernel.cu", "i < n", {}, gather});
  b.trace.exception = TraceException{"torch.AcceleratorError", "CUDA error: device-side assert triggered", {"/home/user/train.py", 44, "main", "sync()"}};
  EXPECT_EQ(failure_of(b.trace)->symptom_call, -1);
  EXPECT_EQ(summary()[0], "the error surfaced at train.py:44, sync()");
}

TEST_F(FailureOf, ASignalComesFromTheCallThatStartedLast) {
  call(neg, 0, CallState::kStarted);
  const int last = call(gather, 1, CallState::kStarted);
  b.trace.wait_status = kSegv;
  const auto failure = failure_of(b.trace);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->call, last);
  EXPECT_EQ(failure->kind, "signal");
  EXPECT_EQ(failure->text, "SIGSEGV");
  EXPECT_EQ(summary()[0], "the run ended with SIGSEGV in train.py:20, x.gather(1, i) → aten::gather");
}

TEST_F(FailureOf, AShellsExitStatusTellsASignalToo) {
  call(gather, 1, CallState::kStarted);
  b.trace.wait_status = (128 + kSegv) << 8;
  ASSERT_TRUE(failure_of(b.trace));
  EXPECT_EQ(failure_of(b.trace)->text, "SIGSEGV");
}

TEST_F(FailureOf, AHangIsInTheCallThatHasBeenRunningLongest) {
  const int first = call(neg, 0, CallState::kStarted);
  call(gather, 1, CallState::kStarted);
  b.trace.wait_status = 15;
  b.trace.timed_out = true;
  ASSERT_TRUE(failure_of(b.trace));
  EXPECT_EQ(failure_of(b.trace)->call, first);
  EXPECT_EQ(failure_of(b.trace)->kind, "hang");
}

TEST_F(FailureOf, ASignalOutsideOfEveryCallIsNoFailureOfOne) {
  call(neg, 0);
  b.trace.wait_status = 6;
  EXPECT_FALSE(failure_of(b.trace));
  EXPECT_THAT(summary(), ElementsAre("the run ended with SIGABRT, outside of every recorded call; recorded 1 call in train.trace"));
}

TEST_F(FailureOf, AnUncaughtExceptionIsTheLastThrownCalls) {
  call(neg, 0, CallState::kThrew);
  const int thrown = call(gather, 1, CallState::kThrew);
  b.trace.calls.back().message = "index 9 is out of bounds\nmore";
  b.trace.exception = TraceException{"RuntimeError", "index 9 is out of bounds\nmore", {"/home/user/train.py", 20, "main", ""}};
  b.trace.wait_status = kExit1;
  ASSERT_TRUE(failure_of(b.trace));
  EXPECT_EQ(failure_of(b.trace)->call, thrown);
  EXPECT_EQ(failure_of(b.trace)->kind, "exception");
  EXPECT_EQ(summary()[1], "  index 9 is out of bounds");
}

TEST_F(FailureOf, AnExceptionThatNoCallThrewIsNotBlamedOnAnOldOne) {
  call(neg, 0, CallState::kThrew);
  for (int i = 0; i < 200; ++i) call(neg, 0);
  b.trace.exception = TraceException{"ValueError", "no such file", {"/home/user/train.py", 99, "main", ""}};
  b.trace.wait_status = kExit1;
  EXPECT_FALSE(failure_of(b.trace));
  EXPECT_THAT(summary()[0], HasSubstr("exit status 1, ValueError: no such file, outside of every recorded call; recorded 201 calls"));
}

TEST_F(FailureOf, WithoutAnExceptionATestRunnersLastThrownCallIsTheSymptom) {
  const int thrown = call(neg, 0, CallState::kThrew);
  for (int i = 0; i < 1200; ++i) call(neg, 0);
  b.trace.wait_status = kExit1;
  ASSERT_TRUE(failure_of(b.trace));
  EXPECT_EQ(failure_of(b.trace)->call, thrown);
  EXPECT_THAT(summary().back(), HasSubstr("recorded 1,201 calls"));
}

TEST_F(FailureOf, ARealDeviceAssertWithoutAKnownRuleKeepsItsKind) {
  call(neg, 2, CallState::kThrew);
  b.trace.calls.back().message = "CUDA error: device-side assert triggered";
  b.trace.wait_status = kExit1;
  ASSERT_TRUE(failure_of(b.trace));
  EXPECT_EQ(failure_of(b.trace)->kind, "device assert");
}

TEST_F(FailureOf, NothingRecordedSaysSo) {
  b.trace.wait_status = 0;
  EXPECT_THAT(summary(), ElementsAre("nothing was recorded: the command made no call of a torch operator"));
}

}  // namespace
}  // namespace minrepro
