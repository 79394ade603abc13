// Each emitted text does what its program does: the golden texts are compiled and run, the programs go through the oracle, and the ends are compared.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "harness/base/files.h"
#include "harness/emit/build_and_run.h"
#include "harness/failure/transcript.h"
#include "harness/oracle/oracle.h"
#include "harness/program/text_form.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {
namespace fs = std::filesystem;

const std::string kGolden = MINREPRO_SOURCE_DIR "/tests/golden/emit/";
const std::string kSimLibrary = MINREPRO_BUILD_DIR "/libminrepro_sim.so";

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden))
    // Its operators are in a library that is not there: it is compiled only.
    if (entry.path().extension() == ".json" && entry.path().stem() != "custom_op") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

Program program_named(const std::string& name) {
  const Result<std::string> text = read_file(kGolden + name + ".json");
  EXPECT_TRUE(text.ok());
  Result<Program> program = program_from_text(*text);
  EXPECT_TRUE(program.ok());
  return *program;
}

/// How the programs end in the oracle, by name.
const std::map<std::string, Outcome>& ends_in_oracle(const std::string& device) {
  static std::map<std::string, std::map<std::string, Outcome>> by_device;
  const auto [found, is_new] = by_device.try_emplace(device);
  if (!is_new) return found->second;
  auto worker = Worker::start({MINREPRO_BUILD_DIR "/minrepro-worker", kSimLibrary, {}, 2});
  EXPECT_TRUE(worker.ok()) << worker.error().message;
  for (const std::string& name : program_names()) {
    Program program = program_named(name);
    program.device = device;
    const auto outcomes = (*worker)->run({&program, 1}, RunLimits{});
    EXPECT_TRUE(outcomes.ok());
    found->second[name] = outcomes->front();
  }
  return found->second;
}

class EmittedPrograms : public testing::TestWithParam<std::string> {
 protected:
  static void expect_same_ends(const std::string& suffix) {
    for (const auto& [name, wanted] : ends_in_oracle(GetParam())) {
      ProcessRequest run{.words = {MINREPRO_BUILD_DIR "/tests/emitted_programs", name + suffix, GetParam()}, .seconds = 60};
      if (GetParam() == "sim") run.environment["LD_PRELOAD"] = kSimLibrary;
      const Result<ProcessEnd> end = run_process(run);
      ASSERT_TRUE(end.ok()) << end.error().message;
      const Outcome seen = outcome_of_process(end->wait_status, end->timed_out, end->error);
      if (wanted.kind == FailureKind::kInvalid) {      // a leaf that this device cannot hold
        EXPECT_EQ(seen.kind, FailureKind::kException) << name << ": " << wanted.message;
        continue;
      }
      EXPECT_TRUE(shows(seen, signature_of(wanted))) << name << suffix << ": " << to_text(signature_of(seen)) << "; wanted: " << to_text(signature_of(wanted)) << '\n' << end->error;
      if (wanted.kind == FailureKind::kNone) { EXPECT_NE(end->output, "") << name; }
    }
  }
};

TEST_P(EmittedPrograms, ReadableCppEndsAsTheProgramDoes) { expect_same_ends(""); }

TEST_P(EmittedPrograms, DispatcherCppEndsAsTheProgramDoes) { expect_same_ends(".dispatcher"); }

INSTANTIATE_TEST_SUITE_P(Devices, EmittedPrograms, testing::Values("cpu", "sim"), [](const auto& info) { return info.param; });

TEST(EmittedPython, EndsAsTheProgramDoes) {
  std::vector<std::string> words = {MINREPRO_PYTHON, MINREPRO_SOURCE_DIR "/tests/emit/compiled/run_programs.py", "cpu"};
  for (const std::string& name : program_names()) words.push_back(kGolden + name + ".py");
  const Ran ran = run_command_line(words);
  ASSERT_EQ(ran.status, 0) << ran.error;
  std::map<std::string, std::string> messages;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) messages[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
  for (const auto& [name, wanted] : ends_in_oracle("cpu")) {
    ASSERT_TRUE(messages.contains(name)) << ran.output;
    if (wanted.kind == FailureKind::kNone) { EXPECT_EQ(messages[name], "") << name; }
    else EXPECT_EQ(normalise_message(messages[name]), normalise_message(wanted.message.substr(0, wanted.message.find('\n')))) << name;
  }
}

}  // namespace
}  // namespace minrepro
