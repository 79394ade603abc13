// Whatever is wrong with what a user names: one line (what, where, what to do) and exit status 2.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "harness/base/files.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class BadInput : public testing::Test {
 protected:
  BadInput() : folder_(TemporaryFolder::create("bad_input")) {}
  std::string path(const std::string& name) const { return folder_->path() + "/" + name; }
  std::string file(const std::string& name, std::string_view text) const {
    EXPECT_TRUE(write_file(path(name), text).ok());
    return path(name);
  }
  std::string program(std::string_view leaves, std::string_view calls) const {
    return file("program.json", R"({"minrepro_program": 1, "device": "sim", "leaves": [)" + std::string(leaves) + R"(], "calls": [)" + std::string(calls) + "]}");
  }

  template <typename Matcher>
  void refuses(std::vector<std::string> words, const Matcher& message) const {
    const std::string command = words.front();
    const Ran ran = run_minrepro(std::move(words), folder_->path());
    EXPECT_EQ(ran.status, 2) << ran.output << ran.error;
    EXPECT_EQ(ran.output, "");
    EXPECT_EQ(ran.error_lines(), 1) << ran.error;
    EXPECT_THAT(ran.error, AllOf(StartsWith("minrepro"), message));
  }

  Result<TemporaryFolder> folder_;
};

TEST_F(BadInput, CommandsAndOptions) {
  refuses({"redcue", "x"}, HasSubstr("there is no command 'redcue'. Did you mean 'reduce'?"));
  refuses({"reduce", "--no-such-option"}, HasSubstr("no-such-option"));
  refuses({"reduce"}, HasSubstr("which trace or program?"));
  refuses({"reduce", "a", "b"}, HasSubstr("'b'"));
  refuses({"reduce", "--jobs", "many", "x"}, HasSubstr("many"));
  refuses({"reduce", "--jobs", "0", "x"}, HasSubstr("--jobs"));
  refuses({"reduce", "--time", "-1", "x"}, HasSubstr("--time"));
  refuses({"reduce", "--device", "tpu", "x"}, HasSubstr("there is no device 'tpu'"));
  refuses({"verify"}, HasSubstr("which folder?"));
  refuses({"verify", "--repeat", "0", "x"}, HasSubstr("x"));
  refuses({"run"}, HasSubstr("which program?"));
  refuses({"run", "--time", "0", "x"}, HasSubstr("--time"));
  refuses({"run", "--time", "-1", "x"}, HasSubstr("--time"));
  refuses({"show"}, HasSubstr("which trace or program?"));
  refuses({"record"}, HasSubstr("which command?"));
  refuses({"record", "--data", "some", "--", "true"}, HasSubstr("--data is 'some'"));
  refuses({"record", "--", "no-such-program-anywhere"}, HasSubstr("there is no command 'no-such-program-anywhere'"));
}

TEST_F(BadInput, NothingThere) {
  ASSERT_TRUE(make_folder(path("train.trace")).ok());
  for (const char* command : {"reduce", "show", "run"}) refuses({command, "train.trcae"}, HasSubstr("no trace or program at 'train.trcae'. Did you mean 'train.trace'?"));
  refuses({"reduce", "train.trace"}, HasSubstr("no trace or program at 'train.trace'"));
  refuses({"verify", "train.trace"}, HasSubstr("reduction.json"));
}

TEST_F(BadInput, FilesThatAreNoPrograms) {
  for (const char* text : {"", "{", "null", "[]", "\xff\xfe", R"({"minrepro_program": 99, "leaves": [], "calls": []})"})
    for (const char* command : {"reduce", "run", "show"}) refuses({command, file("program.json", text)}, HasSubstr("program.json"));
}

TEST_F(BadInput, ProgramsThatMeanNothing) {
  const std::string leaf = R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 1})";
  const auto neg = [](std::string_view args) { return R"({"op": "aten::neg", "args": )" + std::string(args) + R"(, "results": [1]})"; };
  const std::string good = neg(R"({"self": {"tensor": 0}})");
  for (const char* command : {"reduce", "run"}) {
    refuses({command, program(leaf, R"({"op": "aten::negg", "args": {}, "results": [1]})")}, AllOf(HasSubstr("calls[0]"), HasSubstr("aten::negg")));
    refuses({command, program(leaf, neg(R"({"self": "text"})"))}, AllOf(HasSubstr("'self'"), HasSubstr("string")));
    refuses({command, program(leaf, neg(R"({"self": {"tensor": 7}})"))}, HasSubstr("7"));
    refuses({command, program(R"({"id": 0, "dtype": "float32", "shape": [-2], "constant": 1})", good)}, HasSubstr("negative"));
    refuses({command, program(R"({"id": 0, "dtype": "float32", "shape": [1000000, 1000000], "constant": 1})", good)}, HasSubstr("leaves[0]"));
    refuses({command, program(R"({"id": 0, "dtype": "float32", "shape": [9223372036854775807, 9223372036854775807], "constant": 1})", good)}, HasSubstr("leaves[0]"));
    refuses({command, program(R"({"id": 0, "dtype": "float33", "shape": [2], "constant": 1})", good)}, HasSubstr("float33"));
    refuses({command, program(R"({"id": 0, "dtype": "float32", "shape": [2], "strides": [1000000000000], "constant": 1})", good)}, HasSubstr("leaves[0]"));
    refuses({command, program(R"({"id": 0, "dtype": "float32", "shape": [2], "view_of": 0, "offset": 4})", good)}, HasSubstr("leaves[0]"));
  }
}

TEST_F(BadInput, FoldersThatCannotBeWritten) {
  const std::string p = program(R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 1})", R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [1]})");
  file("taken", "a file");
  refuses({"reduce", p, "-o", path("taken")}, HasSubstr("taken'"));
  refuses({"reduce", p, "-o", path("taken/below")}, HasSubstr("taken/below'"));
  refuses({"record", "-o", path("taken/below"), "--", "true"}, HasSubstr("taken"));
  refuses({"reduce", p, "-o", "/proc/minrepro"}, HasSubstr("/proc/minrepro'"));
  EXPECT_EQ(*read_file(path("taken")), "a file");
}

TEST_F(BadInput, AFolderWithOtherThingsIsNotRecordedOver) {
  ASSERT_TRUE(make_folder(path("thesis")).ok());
  file("thesis/chapter.txt", "words");
  refuses({"record", "-o", path("thesis"), "--", "true"}, HasSubstr("thesis"));
  EXPECT_EQ(*read_file(path("thesis/chapter.txt")), "words");
}

TEST_F(BadInput, ReportsThatWereEdited) {
  ASSERT_TRUE(make_folder(path("a.repro")).ok());
  for (const char* text : {"", "[]", "{}", R"({"signature": 3})", R"({"signature": {"kind": "sorrow"}})", R"({"signature": {"kind": "none"}})"}) {
    file("a.repro/reduction.json", text);
    refuses({"verify", path("a.repro")}, HasSubstr("reduction.json"));
  }
  file("a.repro/reduction.json", R"({"signature": {"kind": "hang", "op": "aten::neg"}, "device": "toaster"})");
  refuses({"verify", path("a.repro")}, HasSubstr("toaster"));
  file("a.repro/reduction.json", R"({"signature": {"kind": "hang", "op": "aten::neg"}, "device": "cpu"})");
  refuses({"verify", path("a.repro")}, HasSubstr("repro.cpp"));                        // there is none
}

TEST_F(BadInput, TracesThatWereCutOrEdited) {
  const Ran recorded = run_minrepro({"record", "-o", path("a.trace"), "--", MINREPRO_PYTHON, "-c", "import torch; torch.arange(3).gather(0, torch.tensor([9]))"}, "/");
  ASSERT_EQ(recorded.status, 1) << recorded.error;
  std::string calls;
  for (const auto& entry : fs::directory_iterator(path("a.trace")))
    if (entry.path().filename().string().starts_with("calls.")) calls = entry.path();
  ASSERT_FALSE(calls.empty());
  const Result<std::string> whole = read_file(calls);
  ASSERT_TRUE(whole.ok());
  ASSERT_EQ(run_minrepro({"show", path("a.trace")}).status, 0);

  // Cut anywhere, it is what a crash leaves: readable up to there.
  for (const std::size_t parts : {1, 2, 3}) {
    ASSERT_TRUE(write_file(calls, whole->substr(0, whole->size() * parts / 4)).ok());
    const Ran shown = run_minrepro({"show", path("a.trace")});
    EXPECT_TRUE(shown.status == 0 || (shown.status == 2 && shown.error_lines() == 1)) << shown.status << shown.error;
  }
  // Edited, it is refused or read as something else, and nothing worse.
  for (std::size_t at = 8; at < std::min<std::size_t>(whole->size(), 400); at += 13) {
    std::string edited = *whole;
    edited[at] = static_cast<char>(~edited[at]);
    ASSERT_TRUE(write_file(calls, edited).ok());
    const Ran shown = run_minrepro({"show", path("a.trace")});
    EXPECT_TRUE(shown.status == 0 || (shown.status == 2 && shown.error_lines() == 1)) << at << ": " << shown.status << shown.error;
  }
}

TEST_F(BadInput, ARunWithoutAFailureIsNotReduced) {
  const Ran recorded = run_minrepro({"record", "-o", path("a.trace"), "--", MINREPRO_PYTHON, "-c", "import torch; torch.ones(2) + 1"}, "/");
  EXPECT_EQ(recorded.status, 0);
  EXPECT_THAT(recorded.error, HasSubstr("no failure"));
  const Ran reduced = run_minrepro({"reduce", path("a.trace")});
  EXPECT_EQ(reduced.status, 1);
  EXPECT_THAT(reduced.error, AllOf(StartsWith("minrepro reduce: nothing to reduce: no failure; recorded "), HasSubstr(path("a.trace"))));
  EXPECT_EQ(reduced.error_lines(), 1);
}

TEST_F(BadInput, AFailureOutsideOfEveryOperatorIsNotReduced) {
  const Ran recorded = run_minrepro({"record", "-o", path("a.trace"), "--", MINREPRO_PYTHON, "-c", "import torch; torch.ones(2) + 1; raise ValueError('mine')"}, "/");
  EXPECT_EQ(recorded.status, 1);
  const Ran reduced = run_minrepro({"reduce", path("a.trace")});
  EXPECT_EQ(reduced.status, 1);
  EXPECT_THAT(reduced.error, AllOf(HasSubstr("nothing to reduce: the run ended with exit status 1"), HasSubstr("ValueError: mine")));
}

TEST_F(BadInput, FilesThatAreNone) {
  ASSERT_EQ(mkfifo(path("reduction.json").c_str(), 0600), 0);
  refuses({"verify", folder_->path()}, HasSubstr("it is no plain file"));
  const std::string huge = file("huge.json", "{");
  ASSERT_EQ(truncate(huge.c_str(), off_t{10} << 40), 0);
  refuses({"run", huge}, HasSubstr("it is larger than 1 GiB"));
}

TEST_F(BadInput, AProgramMustNotOpenFiles) {
  const std::string wanted = path("made_by_a_program");
  const std::string p = program("", R"({"op": "aten::from_file", "args": {"filename": ")" + wanted + R"(", "shared": true, "size": 4}, "results": [0]})");
  refuses({"run", p}, HasSubstr("it opens files"));
  refuses({"reduce", p}, HasSubstr("it opens files"));
  EXPECT_FALSE(fs::exists(wanted));
}

TEST_F(BadInput, ATerminalObeysNothingThatAFileSays) {
  const std::string p = program("", R"({"op": "aten::\u001b[2J)" + std::string(100'000, 'x') + R"(", "args": {}, "results": []})");
  const Ran ran = run_minrepro({"run", p}, folder_->path());
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.error.find('\x1b'), std::string::npos);
  EXPECT_LT(ran.error.size(), 3000U);
  EXPECT_EQ(ran.error_lines(), 1);
}

TEST_F(BadInput, FilesOfOthersAreNotOverwritten) {
  const std::string p = std::string(MINREPRO_SOURCE_DIR) + "/corpus/known_failures/position_overflow/program.json";
  ASSERT_TRUE(make_folder(path("mine")).ok());
  for (const char* name : {"CMakeLists.txt", "run.json", "program.json"}) file(std::string("mine/") + name, "{}");
  refuses({"reduce", p, "-o", path("mine"), "--no-verify"}, HasSubstr("name another folder with -o"));
  refuses({"record", "-o", path("mine"), "--", "true"}, HasSubstr("name another folder with -o"));
  for (const char* name : {"CMakeLists.txt", "run.json", "program.json"}) EXPECT_EQ(*read_file(path(std::string("mine/") + name)), "{}");
}

TEST_F(BadInput, AFullDiskBehindTheOutput) {
  const std::string p = std::string(MINREPRO_SOURCE_DIR) + "/corpus/known_failures/position_overflow/program.json";
  for (const std::string& command : {"show " + p, "run " + p, std::string("--help")}) {
    const Ran ran = run_command_line({"/bin/bash", "-c", std::string(MINREPRO_BUILD_DIR) + "/minrepro " + command + " >/dev/full"});
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.error, HasSubstr("No space left on device")) << command;
    EXPECT_EQ(ran.error_lines(), 1) << ran.error;
  }
}

}  // namespace
}  // namespace minrepro
