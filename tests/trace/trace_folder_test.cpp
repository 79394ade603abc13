#include "harness/trace/trace_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>
#include <fmt/core.h>
#include <fstream>

#include "harness/base/files.h"
#include "harness/trace/run_info.h"
#include "harness/trace/symbolise.h"
#include "tests/trace/hand_made_trace.h"

namespace minrepro {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(TraceFolder, IsMadeWithItsParents) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  EXPECT_TRUE(prepare_trace_folder(folder->path() + "/a/b.trace").ok());
  EXPECT_TRUE(fs::is_directory(folder->path() + "/a/b.trace"));
}

TEST(TraceFolder, AnEarlierTraceIsReplacedAndNothingElse) {
  HandMadeTrace t;
  std::ofstream(t.folder() + "/notes.txt") << "mine";
  ASSERT_TRUE(prepare_trace_folder(t.folder()).ok());
  EXPECT_TRUE(fs::exists(t.folder() + "/notes.txt"));
  EXPECT_FALSE(fs::exists(t.calls_path()));
}

TEST(TraceFolder, AFolderWithOtherThingsIsLeftAlone) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  std::ofstream(folder->path() + "/calls.txt") << "mine";
  const Status status = prepare_trace_folder(folder->path());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("holds files and is no trace"));
  EXPECT_TRUE(fs::exists(folder->path() + "/calls.txt"));
}

TEST(TraceFolder, ARunJsonOfSomebodyElseMakesNoTrace) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  const std::string files[] = {"run.json", "data.1", "calls.1"};
  for (const std::string& name : files) std::ofstream(folder->path() + "/" + name) << R"({"runs": [1, 2]})";
  const Status status = prepare_trace_folder(folder->path());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("holds files and is no trace"));
  for (const std::string& name : files) EXPECT_TRUE(fs::exists(folder->path() + "/" + name)) << name;
}

TEST(TraceFolder, AFileInItsPlaceIsAnError) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  std::ofstream(folder->path() + "/x") << "mine";
  EXPECT_FALSE(prepare_trace_folder(folder->path() + "/x").ok());
}

TEST(RunInfo, ComesBackWithArgumentsThatAreNotUtf8Replaced) {
  HandMadeTrace t;
  ASSERT_TRUE(write_run_info(t.folder(), {.command = {"python", "a b.py", "\xFF"}, .pid = 7, .wait_status = 139, .timed_out = true, .simulated = false}).ok());
  const Result<Trace> trace = t.read();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_THAT(trace->command, ElementsAre("python", "a b.py", "\xEF\xBF\xBD"));
  EXPECT_EQ(trace->wait_status, 139);
  EXPECT_TRUE(trace->timed_out);
  EXPECT_TRUE(trace->simulated);            // the process said so itself
}

/// Of several processes the one that failed is shown.
TEST(ReadTrace, OfSeveralProcessesTheOneThatFailedIsShown) {
  HandMadeTrace t;
  t.op(kNeg);
  t.start_call(0, 1);
  t.tensor(1, {2});
  t.append();
  t.start_finished(0, 1);
  t.tensor(2, {2});
  t.append();
  auto other = CallsFile::create(t.folder(), 77);
  ASSERT_TRUE(other.ok());
  RecordBuffer out;
  out.start(trace_format::RecordType::kOp);
  out.string(kNeg);
  ASSERT_TRUE((*other)->append(out.bytes()).ok());
  EXPECT_EQ(t.read()->pid, 123);            // the first one, as long as both are well
  out.start(trace_format::RecordType::kCall);
  for (const int number : {0, 0, 0, 0, 1, 0}) out.byte(static_cast<uint8_t>(number));
  ASSERT_TRUE((*other)->append(out.bytes()).ok());
  EXPECT_EQ(t.read()->pid, 77);
  EXPECT_EQ(t.read()->processes, 2);
  t.exception("RuntimeError", "bad", "train.py", 3);
  EXPECT_EQ(t.read()->pid, 123);
  t.exception("RuntimeError", "DataLoader worker (pid 77) is killed by signal: Segmentation fault.", "train.py", 3);
  EXPECT_EQ(t.read()->pid, 77);             // the parent only reports what its child died of
}

int marked_function(int x) { return x * 3; }

TEST(Symbolise, FindsTheFunctionAroundAnAddressOfThisProgram) {
  struct Find {
    uintptr_t base = 0;
  } find;
  dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* data) {
    static_cast<Find*>(data)->base = info->dlpi_addr;
    return 1;                                // the program itself comes first
  }, &find);
  volatile auto function = &marked_function;
  ASSERT_EQ(function(2), 6);
  const SourceLine place{fs::read_symlink("/proc/self/exe").string(), 0, fmt::format("+{:#x}", reinterpret_cast<uintptr_t>(function) - find.base), ""};
  const SourceLine found = symbolised(place);
  EXPECT_THAT(found.function, HasSubstr("marked_function"));
}

TEST(Symbolise, LeavesWhatItCannotReadAsItIs) {
  const SourceLine python{"train.py", 3, "main", "x"};
  EXPECT_EQ(symbolised(python), python);
  const SourceLine gone{"/nowhere/program", 0, "+0x1234", ""};
  EXPECT_EQ(symbolised(gone), gone);
  const SourceLine text{"/etc/passwd", 0, "+0x10", ""};
  EXPECT_EQ(symbolised(text), text);
  const SourceLine device{"/dev/zero", 0, "+0x10", ""};
  EXPECT_EQ(symbolised(device), device);
  const SourceLine relative{"calls.1", 0, "+0x10", ""};
  EXPECT_EQ(symbolised(relative), relative);
  const SourceLine odd{"/etc/passwd", 0, "+0xZZ", ""};
  EXPECT_EQ(symbolised(odd), odd);
}

}  // namespace
}  // namespace minrepro
