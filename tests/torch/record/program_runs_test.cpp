// C++ programs linked with LibTorch: the recorder is preloaded, and everything else is as without it.
#include <sys/mount.h>

#include "harness/trace/symbolise.h"
#include "tests/torch/record/recorded.h"

namespace minrepro {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const TraceCall* last_call(const Trace& trace, const std::string& op) {
  for (auto call = trace.calls.rbegin(); call != trace.calls.rend(); ++call)
    if (op_of(trace, *call) == op) return &*call;
  ADD_FAILURE() << "no call of " << op;
  return nullptr;
}

bool has_data(const Trace& trace, const std::string& op, std::string_view name) {
  const TraceCall* call = last_call(trace, op);
  return call != nullptr && tensor_of(trace, argument(trace, *call, name)).data.has_value();
}

TEST(RecordedProgram, GoodRunIsRecordedAndSaysSoInOneLine) {
  const Recorded run({}, {kProgram});
  EXPECT_EQ(run.ran().status, 0);
  std::vector<std::string> ops;
  for (const TraceCall& call : run.trace().calls) {
    ops.push_back(op_of(run.trace(), call));
    EXPECT_EQ(call.state, CallState::kFinished);
  }
  EXPECT_THAT(ops, ElementsAre("aten::arange", "aten::ones", "aten::index_select", "aten::neg"));
  EXPECT_EQ(run.ran().error, "minrepro: no failure; recorded 4 calls in run.trace\n");
  EXPECT_EQ(run.ran().output, "");
  EXPECT_EQ(run.trace().wait_status, std::optional<int>(0));
  EXPECT_FALSE(run.trace().timed_out);
  EXPECT_THAT(run.trace().command, ElementsAre(kProgram));
}

TEST(RecordedProgram, EachCallHasItsFrame) {
  const Recorded run({}, {kProgram});
  const TraceCall* call = last_call(run.trace(), "aten::neg");
  ASSERT_NE(call, nullptr);
  ASSERT_GE(call->source, 0);
  const SourceLine& place = run.trace().sources[static_cast<std::size_t>(call->source)];
  EXPECT_EQ(place.file, kProgram);
  EXPECT_THAT(place.function, StartsWith("+0x"));
  EXPECT_THAT(symbolised(place).function, HasSubstr("make_calls()"));
}

TEST(RecordedProgram, DataAsAskedFor) {
  const Recorded none({"--data", "none"}, {kProgram});
  EXPECT_FALSE(has_data(none.trace(), "aten::index_select", "index"));
  EXPECT_FALSE(has_data(none.trace(), "aten::neg", "self"));
  const Recorded index({"--data", "index"}, {kProgram});
  EXPECT_TRUE(has_data(index.trace(), "aten::index_select", "index"));
  EXPECT_FALSE(has_data(index.trace(), "aten::index_select", "self"));
  EXPECT_FALSE(has_data(index.trace(), "aten::neg", "self"));
  const Recorded all({"--data", "all"}, {kProgram});
  EXPECT_TRUE(has_data(all.trace(), "aten::index_select", "index"));
  EXPECT_TRUE(has_data(all.trace(), "aten::index_select", "self"));
  EXPECT_TRUE(has_data(all.trace(), "aten::neg", "self"));
  EXPECT_EQ(tensor_of(all.trace(), argument(all.trace(), *last_call(all.trace(), "aten::neg"), "self")).data->size(), 6 * 3 * sizeof(float));
}

TEST(RecordedProgram, InputOutputAndExitStatusAreItsOwn) {
  const Recorded echo({}, {kProgram, "echo"}, "printf 'one\\ntwo' | ");
  EXPECT_EQ(echo.ran().output, "one\ntwo");
  EXPECT_EQ(echo.ran().status, 0);
  const Recorded three({}, {kProgram, "exit", "3"});
  EXPECT_EQ(three.ran().status, 3);
  EXPECT_THAT(three.said(), ElementsAre(HasSubstr("the run ended with exit status 3, outside of every recorded call; recorded 4 calls")));
  const Recorded terminated({}, {kProgram, "raise", "15"});
  EXPECT_EQ(terminated.ran().status, 128 + SIGTERM);
}

class CrashInACall : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(CrashInACall, TheTraceEndsWithTheCallThatWasRunning) {
  const auto [how, signal] = GetParam();
  const Recorded run({}, {kProgram, "inside", how});
  EXPECT_EQ(run.ran().status, 128 + signal);
  ASSERT_EQ(run.trace().calls.size(), 5u);
  const TraceCall& last = run.trace().calls.back();
  EXPECT_EQ(op_of(run.trace(), last), "crash::inside");
  EXPECT_EQ(last.state, CallState::kStarted);
  EXPECT_EQ(argument(run.trace(), last, "how"), Value(std::string(how)));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.trace().calls[i].state, CallState::kFinished);
  const auto failure = failure_of(run.trace());
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->call, 4);
  EXPECT_EQ(failure->kind, "signal");
  EXPECT_THAT(run.said(), ElementsAre(AllOf(StartsWith("the run ended with SIG"), EndsWith("crash::inside")), HasSubstr("next:  minrepro reduce run.trace")));
}

INSTANTIATE_TEST_SUITE_P(Program, CrashInACall,
                         testing::Values(std::pair("abort", SIGABRT), std::pair("segv", SIGSEGV), std::pair("kill", SIGKILL)),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(RecordedProgram, AfterSigkillBetweenCallsNothingIsMissing) {
  const Recorded run({}, {kProgram, "kill"});
  EXPECT_EQ(run.ran().status, 128 + SIGKILL);
  ASSERT_EQ(run.trace().calls.size(), 4u);
  EXPECT_EQ(run.trace().calls.back().state, CallState::kFinished);
  EXPECT_FALSE(failure_of(run.trace()).has_value());
}

TEST(RecordedProgram, AnExceptionThatNobodyCatchesIsTheCallsThatThrewIt) {
  const Recorded run({}, {kProgram, "throw"});
  EXPECT_EQ(run.ran().status, 128 + SIGABRT);
  const auto failure = failure_of(run.trace());
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, "exception");
  EXPECT_EQ(failure->op, "aten::index_select");
  EXPECT_THAT(failure->text, HasSubstr("index out of range"));
  ASSERT_TRUE(run.trace().exception.has_value());
  EXPECT_THAT(run.trace().exception->type, StartsWith("c10::"));
}

TEST(RecordedProgram, TimeEndsAHangAndNamesItsCall) {
  const Recorded run({"--time", "2"}, {kProgram, "inside", "hang"});
  EXPECT_EQ(run.ran().status, 124);
  EXPECT_TRUE(run.trace().timed_out);
  const auto failure = failure_of(run.trace());
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, "hang");
  EXPECT_EQ(failure->op, "crash::inside");
  EXPECT_THAT(run.said(), ElementsAre(AllOf(StartsWith("the run was ended while it was still in"), EndsWith("crash::inside")), HasSubstr("next:")));
}

std::vector<std::string> warnings(const Recorded& run) {
  std::vector<std::string> found;
  for (const std::string& line : run.said())
    if (line.find("the program goes on") != std::string::npos) found.push_back(line);
  return found;
}

/// The program ran to its good end, said once that something stopped, and what was recorded before can be read.
void expect_stopped(const Recorded& run, const std::string& output, const std::string& reason) {
  EXPECT_EQ(run.ran().status, 0) << run.ran().error;
  EXPECT_EQ(run.ran().output, output);
  EXPECT_THAT(warnings(run), ElementsAre(HasSubstr(reason)));
  EXPECT_GT(run.trace().calls.size(), 1000u);
  EXPECT_LT(run.trace().calls.size(), 100'000u);
}

TEST(RecordedProgram, ALimitOnFileSizesStopsTheRecorderOnly) {
  const Recorded run({}, {kProgram, "many", "100000"}, "ulimit -f 3000; ");
  expect_stopped(run, "100000 calls, the sum is 200002\n", "recording stops here, the program goes on: cannot write");
}

TEST(RecordedProgram, AFullDiskStopsTheRecorderOnly) {
  const TemporaryFolder disk = std::move(*TemporaryFolder::create("minrepro-disk"));
  if (mount("none", disk.path().c_str(), "tmpfs", 0, "size=3m") != 0) GTEST_SKIP() << "only root may make a small disk";
  const Ran ran = run_minrepro({"record", "-o", disk.path() + "/t", "--", kProgram, "many", "100000"});
  const Result<Trace> trace = read_trace(disk.path() + "/t");
  umount(disk.path().c_str());
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.output, "100000 calls, the sum is 200002\n");
  EXPECT_THAT(ran.error, HasSubstr("minrepro: recording stops here, the program goes on: cannot write"));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_GT(trace->calls.size(), 1000u);
}

TEST(RecordedProgram, WithoutRoomForDataTheCallsAreStillRecorded) {
  const Recorded run({}, {kProgram, "large", "100"}, "ulimit -f 3000; ");
  EXPECT_EQ(run.ran().status, 0) << run.ran().error;
  EXPECT_EQ(run.ran().output, "done\n");
  EXPECT_EQ(run.trace().calls.size(), 204u);
  EXPECT_THAT(warnings(run), ElementsAre(HasSubstr("no more data is kept, the program goes on: cannot write")));
  EXPECT_FALSE(has_data(run.trace(), "aten::neg", "self"));
}

}  // namespace
}  // namespace minrepro
