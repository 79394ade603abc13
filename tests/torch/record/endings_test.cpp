// However a Python process ends, its trace holds every call up to the last one that started.
#include "tests/torch/record/recorded.h"

namespace minrepro {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class PythonEndings : public testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new Recorded({}, {MINREPRO_PYTHON, script("endings.py")}); }
  static void TearDownTestSuite() { delete run_; }

  static Recorded* run_;
};
Recorded* PythonEndings::run_ = nullptr;

TEST_F(PythonEndings, TheChildrenDiedAsTheyShould) { EXPECT_EQ(run_->ran().output, "-9 -6 -11 -9\n") << run_->ran().error; }

TEST_F(PythonEndings, EachChildHasATraceOfItsOwnUpToItsEnd) {
  int killed_after = 0;
  std::vector<std::string> unfinished;
  const std::vector<Trace> processes = run_->processes();
  EXPECT_EQ(processes.size(), 5u);
  EXPECT_EQ(run_->trace().processes, 5);
  for (const Trace& trace : processes) {
    if (trace.exception) continue;                        // the parent
    ASSERT_EQ(trace.calls.size(), 1u);
    const TraceCall& call = trace.calls.front();
    EXPECT_EQ(trace.torch_version, run_->trace().torch_version);
    EXPECT_THAT(tensor_of(trace, call.args.front()).meta.sizes, ElementsAre(3));
    if (op_of(trace, call) == "aten::neg") {
      ++killed_after;
      EXPECT_EQ(call.state, CallState::kFinished);
      EXPECT_THAT(line_of(trace, call), EndsWith("# killed right after"));
    } else {
      EXPECT_EQ(op_of(trace, call), "endings::inside");
      EXPECT_EQ(call.state, CallState::kStarted);
      unfinished.push_back(*argument(trace, call, "how").get_if<std::string>());
    }
  }
  EXPECT_EQ(killed_after, 1);
  EXPECT_THAT(unfinished, testing::UnorderedElementsAre("abort", "segv", "kill"));
}

TEST_F(PythonEndings, AnExceptionThatEndsTheRunIsTracedToItsCall) {
  EXPECT_EQ(run_->ran().status, 1);
  const Trace& trace = run_->trace();
  ASSERT_TRUE(trace.exception.has_value());
  EXPECT_EQ(trace.exception->type, "RuntimeError");
  EXPECT_EQ(trace.exception->message, "shape '[4]' is invalid for input of size 3");
  EXPECT_THAT(trace.exception->where.text, EndsWith("# fails"));
  EXPECT_EQ(trace.exception->where.function, "fail");
  const auto failure = failure_of(trace);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->op, "aten::view");
  EXPECT_EQ(failure->kind, "exception");
  const auto said = run_->said();
  ASSERT_EQ(said.size(), 3u);
  EXPECT_THAT(said[0], AllOf(StartsWith("the run ended with an exception in "), HasSubstr("endings.py:"), EndsWith("# fails → aten::view")));
  EXPECT_EQ(said[1], "  shape '[4]' is invalid for input of size 3");
  EXPECT_THAT(said[2], AllOf(HasSubstr(" calls in run.trace"), EndsWith("next:  minrepro reduce run.trace")));
}

TEST_F(PythonEndings, TheUsersOwnTracebackIsStillPrinted) {
  EXPECT_THAT(run_->ran().error, HasSubstr("Traceback (most recent call last):"));
  EXPECT_THAT(run_->ran().error, HasSubstr("RuntimeError: shape '[4]' is invalid for input of size 3\n"));
}

}  // namespace
}  // namespace minrepro
