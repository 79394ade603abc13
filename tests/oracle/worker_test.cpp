#include "tests/oracle/worker_under_test.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace minrepro {
namespace {

using testing::HasSubstr;

/// Process ids whose parent is `parent`.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  DIR* folder = opendir("/proc");
  while (const dirent* entry = readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    std::ifstream file(std::string("/proc/") + entry->d_name + "/stat");
    std::string stat;
    std::getline(file, stat);
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || name_end + 4 > stat.size()) continue;
    if (stat[name_end + 2] != 'Z' && std::atoi(stat.c_str() + name_end + 4) == parent) children.push_back(pid);
  }
  closedir(folder);
  return children;
}

/// Waits until `pid` is gone (or only a zombie); false if it is still there after ten seconds.
bool goes_away(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string stat;
    if (!std::getline(file, stat) || stat[stat.rfind(')') + 2] == 'Z') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(WorkerStart, MissingProgramIsOneLine) {
  WorkerOptions options = built_worker();
  options.worker = "/nowhere/minrepro-worker";
  auto worker = Worker::start(options);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().message, "cannot start '/nowhere/minrepro-worker': No such file or directory");
}

TEST(WorkerStart, MissingLibraryIsTheLoadersLine) {
  WorkerOptions options = built_worker();
  options.load = {"/nowhere/libmy_ops.so"};
  auto worker = Worker::start(options);
  ASSERT_FALSE(worker);
  EXPECT_THAT(worker.error().message, HasSubstr("/nowhere/libmy_ops.so"));
  EXPECT_THAT(worker.error().message, HasSubstr("No such file"));
  EXPECT_EQ(worker.error().message.find('\n'), std::string::npos);
}

TEST(WorkerStart, ProgramThatIsNoWorker) {
  WorkerOptions options = built_worker();
  options.worker = "/bin/true";
  EXPECT_FALSE(Worker::start(options));
}

TEST(WorkerStart, LeavesNoDescriptorBehind) {
  auto descriptors = [] {
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder) != nullptr) ++count;
    closedir(folder);
    return count;
  };
  const int before = descriptors();
  for (int i = 0; i < 2; ++i) {
    auto worker = Worker::start(built_worker());
    ASSERT_TRUE(worker) << worker.error().message;
  }
  EXPECT_EQ(descriptors(), before);
}

TEST(WorkerEnd, TakesItsChildrenAlong) {
  const std::vector<pid_t> before = children_of(getpid());
  auto started = Worker::start(built_worker());
  ASSERT_TRUE(started) << started.error().message;
  std::vector<pid_t> mine = children_of(getpid());
  std::erase_if(mine, [&](pid_t pid) { return std::find(before.begin(), before.end(), pid) != before.end(); });
  ASSERT_EQ(mine.size(), 1u);
  const pid_t worker = mine.front();

  const Program hang = program_of(kNeverReturns);
  Result<std::vector<Outcome>> outcomes = Error{"not asked"};
  std::thread asking([&] { outcomes = (*started)->run(std::span(&hang, 1), RunLimits{.seconds = 60}); });
  std::vector<pid_t> children;
  while ((children = children_of(worker)).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  // Killed twice: run() starts a new worker and asks once more, since nothing had come; the second time it gives up.
  kill(worker, SIGKILL);
  EXPECT_TRUE(goes_away(children.front()));
  pid_t second = 0;
  while (second == 0) {
    for (pid_t pid : children_of(getpid()))
      if (pid != worker && std::find(before.begin(), before.end(), pid) == before.end() && !children_of(pid).empty()) second = pid;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  children = children_of(second);
  kill(second, SIGKILL);
  for (pid_t child : children) EXPECT_TRUE(goes_away(child));
  asking.join();
  ASSERT_FALSE(outcomes);
  EXPECT_THAT(outcomes.error().message, HasSubstr("the worker is gone"));
  EXPECT_THAT(outcomes.error().message, HasSubstr("SIGKILL"));

  const Program fine = program_of(gather(5, 1));
  auto again = (*started)->run(std::span(&fine, 1), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->front().kind, FailureKind::kNone);
}

TEST(WorkerEnd, ARestartBetweenRequestsGoesUnnoticed) {
  const std::vector<pid_t> before = children_of(getpid());
  auto started = Worker::start(built_worker());
  ASSERT_TRUE(started);
  for (pid_t pid : children_of(getpid()))
    if (std::find(before.begin(), before.end(), pid) == before.end()) {
      kill(pid, SIGKILL);
      EXPECT_TRUE(goes_away(pid));
    }
  const Program fine = program_of(gather(5, 1));
  auto outcomes = (*started)->run(std::span(&fine, 1), {});
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_EQ(outcomes->front().kind, FailureKind::kNone);
}

class Questions : public WithWorker {};

TEST_F(Questions, GoodEndAndCount) {
  const int64_t before = worker()->programs_run();
  EXPECT_EQ(run(gather(5, 1)).kind, FailureKind::kNone);
  EXPECT_EQ(run_here(gather(5, 1)).kind, FailureKind::kNone);
  EXPECT_EQ(worker()->programs_run(), before + 2);
}

TEST_F(Questions, NothingAskedNothingAnswered) { EXPECT_TRUE(run(std::vector<Program>{}).empty()); }

TEST_F(Questions, ExceptionHasTypeTextAndCall) {
  for (const Outcome& outcome : {run(gather(5, 7)), run_here(gather(5, 7))}) {
    EXPECT_EQ(outcome.kind, FailureKind::kException);
    EXPECT_THAT(outcome.exception_type, testing::StartsWith("c10::"));
    EXPECT_EQ(outcome.message, "index 7 is out of bounds for dimension 1 with size 5");
    EXPECT_EQ(outcome.call, 0);
    EXPECT_EQ(outcome.op, "aten::gather");
  }
}

TEST_F(Questions, SignatureIsTheSameForOtherSizes) {
  EXPECT_EQ(signature_of(run(gather(5, 5))), signature_of(run(gather(500, 500))));
  EXPECT_EQ(signature_of(run(gather(5, 5))), (Signature{FailureKind::kException, "aten::gather", "index N is out of bounds for dimension N with size N"}));
}

TEST_F(Questions, UnknownOperatorIsInvalid) {
  const Outcome outcome = run(R"({"minrepro_program": 1, "device": "cpu", "leaves": [], "calls": [{"op": "aten::no_such_op.out", "args": {}, "results": []}]})");
  EXPECT_EQ(outcome.kind, FailureKind::kInvalid);
  EXPECT_THAT(outcome.message, HasSubstr("calls[0]: this torch has no operator 'aten::no_such_op.out'"));
}

TEST_F(Questions, UnknownDeviceIsInvalid) {
  Program program = program_of(gather(5, 1));
  program.device = "toaster";
  const Outcome outcome = run(std::vector<Program>{program}).front();
  EXPECT_EQ(outcome.kind, FailureKind::kInvalid);
  EXPECT_THAT(outcome.message, HasSubstr("device"));
}

TEST_F(Questions, MoreProgramsThanOneRequestHolds) {
  std::vector<Program> programs;
  for (int i = 0; i < 700; ++i) programs.push_back(program_of(gather(5, i % 7)));
  RunLimits limits;
  limits.contained = false;
  const auto outcomes = run(programs, limits);
  for (int i = 0; i < 700; ++i) EXPECT_EQ(outcomes[i].kind, i % 7 < 5 ? FailureKind::kNone : FailureKind::kException) << i;
}

TEST_F(Questions, CaptureGivesWhatACallTakes) {
  const Program program = program_of(R"({"minrepro_program": 1, "device": "cpu",
    "leaves": [{"id": 0, "dtype": "float32", "shape": [2, 3], "values": [1, 2, 3, 4, 5, 6]}, {"id": 1, "dtype": "int64", "shape": [1, 1], "values": [1]}],
    "calls": [{"op": "aten::t", "args": {"self": {"tensor": 0}}, "results": [2]},
              {"op": "aten::gather", "args": {"self": {"tensor": 2}, "dim": 0, "index": {"tensor": 1}}, "results": [3]}]})");
  auto captured = worker()->capture(program, 1, {});
  ASSERT_TRUE(captured) << captured.error().message;
  ASSERT_EQ(captured->size(), 2u);
  const CapturedTensor& self = captured->at(2);
  EXPECT_EQ(self.meta.dtype, DType::kFloat32);
  EXPECT_EQ(self.meta.sizes, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(self.meta.strides, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(self.device, "cpu");
  std::vector<float> values(6);
  ASSERT_EQ(self.data.size(), 24u);
  std::memcpy(values.data(), self.data.data(), 24);
  EXPECT_EQ(values, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(captured->at(1).data.size(), 8u);
}

TEST_F(Questions, CaptureBehindAFailureIsAnError) {
  Program program = program_of(gather(5, 7));
  program.calls.push_back(program.calls.front());
  program.calls.back().results = {5};
  auto captured = worker()->capture(program, 1, {});
  ASSERT_FALSE(captured);
  EXPECT_THAT(captured.error().message, HasSubstr("calls[0]"));
  EXPECT_THAT(captured.error().message, HasSubstr("out of bounds"));
  EXPECT_FALSE(worker()->capture(program, 9, {}));
  Program crash = program_of(kDivideMinimum);
  crash.calls.push_back(crash.calls.front());
  auto crashed = worker()->capture(crash, 2, {});
  ASSERT_FALSE(crashed);
  EXPECT_THAT(crashed.error().message, HasSubstr("SIGFPE"));
  EXPECT_EQ(run(gather(5, 1)).kind, FailureKind::kNone);
}

TEST_F(Questions, CaptureOfMuchData) {
  const Program program = program_of(R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "float32", "shape": [10000000], "constant": 2.0}],
    "calls": [{"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [1]}]})");
  auto captured = worker()->capture(program, 0, {});
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->at(0).data.size(), 40'000'000u);
}

}  // namespace
}  // namespace minrepro
