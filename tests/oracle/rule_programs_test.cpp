// corpus/rules/ID.json violates rule ID and nothing that comes before it. On the simulated device that is what each program shows; on the CPU it does what
// `minrepro explain --list` says.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "harness/asserts/words.h"
#include "harness/base/files.h"
#include "harness/oracle/oracle.h"
#include "harness/program/text_form.h"

namespace minrepro {
namespace {
namespace fs = std::filesystem;

const std::string kRules = MINREPRO_SOURCE_DIR "/corpus/rules";

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const AssertRule& rule : rule_table()) ids.emplace_back(rule.id);
  return ids;
}

Outcome outcome_of(const std::string& id, const std::string& device) {
  const Result<std::string> text = read_file(kRules + "/" + id + ".json");
  EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
  if (!text.ok()) return {};
  Result<Program> program = program_from_text(*text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  if (!program.ok()) return {};
  program->device = device;
  // A worker each: a test is a process of its own.
  auto worker = Worker::start({MINREPRO_BUILD_DIR "/minrepro-worker", MINREPRO_BUILD_DIR "/libminrepro_sim.so", {}, 1});
  EXPECT_TRUE(worker.ok()) << (worker.ok() ? "" : worker.error().message);
  if (!worker.ok()) return {};
  const auto outcomes = (*worker)->run({&*program, 1}, {.seconds = 60});
  EXPECT_TRUE(outcomes.ok());
  return outcomes.ok() ? outcomes->front() : Outcome();
}

/// As the table words it: one line, no addresses or numbers of a certain build in it.
std::string words_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case FailureKind::kNone: return "silent";
    case FailureKind::kSignal: return "crash";
    case FailureKind::kException: {
      if (outcome.exception_type.find("NotImplemented") != std::string::npos || outcome.message.starts_with("Could not run")) return "no kernel";
      std::string line = outcome.message.substr(0, outcome.message.find('\n'));
      for (const char* tail : {" (Could this error message", " INTERNAL ASSERT FAILED"}) line = line.substr(0, line.find(tail));
      while (line.ends_with(' ')) line.pop_back();
      return line;
    }
    default: return std::string(name_of(outcome.kind));
  }
}

class RuleProgram : public testing::TestWithParam<std::string> {};

TEST_P(RuleProgram, ViolatesItsRuleOnTheSimulatedDevice) {
  const AssertRule& rule = *find_rule(GetParam());
  const Outcome outcome = outcome_of(GetParam(), "sim");
  EXPECT_EQ(outcome.kind, failure_kind_of(rule)) << outcome.message;
  if (rule.on_cuda == OnCuda::kSilent || outcome.rule == GetParam()) return;
  // An operator that is made of others: it is one of those that fails, with the same text.
  const AssertRule* inner = find_rule(outcome.rule);
  ASSERT_NE(inner, nullptr) << outcome.message;
  EXPECT_TRUE(prints(*inner, rule.file, rule.expression)) << outcome.rule << ": " << outcome.message;
}

TEST_P(RuleProgram, DoesOnTheCpuWhatTheTableSays) { EXPECT_EQ(words_of(outcome_of(GetParam(), "cpu")), cpu_outcome(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Corpus, RuleProgram, testing::ValuesIn(rule_ids()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(RulePrograms, AreOfRulesThatThereAre) {
  for (const auto& entry : fs::directory_iterator(kRules)) EXPECT_NE(find_rule(entry.path().stem().string()), nullptr) << entry.path();
}

}  // namespace
}  // namespace minrepro
