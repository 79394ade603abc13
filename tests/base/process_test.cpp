#include "harness/base/process.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>

namespace minrepro {
namespace {
using testing::HasSubstr;

/// A killed orphan may stay a zombie until whoever adopted it looks.
bool is_gone(pid_t pid) {
  for (int i = 0; i < 500; ++i, usleep(10'000)) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    if (!(stat >> number >> name >> state) || state == "Z" || state == "X") return true;
  }
  return false;
}

ProcessRequest shell(const std::string& script) { return {.words = {"sh", "-c", script}, .seconds = 30}; }

TEST(RunProcess, GivesStatusAndBothStreams) {
  const Result<ProcessEnd> end = run_process(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(WEXITSTATUS(end->wait_status), 3);
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->error, "err\n");
  EXPECT_FALSE(end->timed_out);
}

TEST(RunProcess, TellsASignal) {
  const Result<ProcessEnd> end = run_process(shell("kill -SEGV $$"));
  ASSERT_TRUE(end.ok());
  ASSERT_TRUE(WIFSIGNALED(end->wait_status));
  EXPECT_EQ(WTERMSIG(end->wait_status), SIGSEGV);
}

TEST(RunProcess, SetsEnvironmentAndFolder) {
  ProcessRequest request = shell("echo $COLOUR; pwd");
  request.environment["COLOUR"] = "green";
  request.folder = "/";
  const Result<ProcessEnd> end = run_process(request);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->output, "green\n/\n");
}

TEST(RunProcess, GivesNothingToRead) {
  const Result<ProcessEnd> end = run_process(shell("cat; echo end"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->output, "end\n");
}

TEST(RunProcess, AMissingProgramIsAnError) {
  const Result<ProcessEnd> end = run_process({.words = {"no-such-program-here"}});
  ASSERT_FALSE(end.ok());
  EXPECT_THAT(end.error().message, HasSubstr("cannot run 'no-such-program-here': No such file"));
}

TEST(FindProgram, LooksInPath) {
  const Result<std::string> shell = find_program("sh");
  ASSERT_TRUE(shell.ok());
  EXPECT_EQ(access(shell->c_str(), X_OK), 0);
  EXPECT_EQ(*find_program(*shell), *shell);
  EXPECT_THAT(find_program("no-such-program-anywhere").error().message, HasSubstr("there is no command 'no-such-program-anywhere'"));
  EXPECT_THAT(find_program("/dev/null").error().message, HasSubstr("there is no command '/dev/null'"));
}

TEST(RunProcess, KillsTheWholeGroupWhenTimeIsUp) {
  ProcessRequest request = shell("sleep 60 & echo $!; wait");
  request.seconds = 0.3;
  const Result<ProcessEnd> end = run_process(request);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->timed_out);
  EXPECT_TRUE(is_gone(std::stoi(end->output)));
}

TEST(RunProcess, AnInterruptEndsIt) {
  std::atomic<bool> interrupted = false;
  const StopCondition stop(std::numeric_limits<double>::infinity(), &interrupted);
  ProcessRequest request = shell("sleep 60");
  request.stop = &stop;
  std::thread later([&] {
    usleep(200'000);
    interrupted = true;
  });
  const Result<ProcessEnd> end = run_process(request);
  later.join();
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->interrupted);
  EXPECT_FALSE(end->timed_out);
}

TEST(RunProcess, AChildThatStaysBehindDoesNotHoldItUp) {
  const Result<ProcessEnd> end = run_process(shell("sleep 60 & echo started"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->output, "started\n");
  EXPECT_FALSE(end->timed_out);
}

TEST(RunProcess, KeepsBothEndsOfALongOutput) {
  ProcessRequest request = shell("echo first; i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; echo last");
  request.most_output = 1000;
  const Result<ProcessEnd> end = run_process(request);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->output.starts_with("first\n"));
  EXPECT_TRUE(end->output.ends_with("last\n"));
  EXPECT_THAT(end->output, HasSubstr("bytes left out]"));
  EXPECT_LT(end->output.size(), 3000u);
}

}  // namespace
}  // namespace minrepro
