// The corpus is a contract: each folder of corpus/known_failures holds
//   original.py      the script as a user wrote it
//   expected.json    how it is recorded, and what has to come out: device, signature, limits
//   program.json     the reduced program
//   repro.cpp        the emitted one
//   mend.json        what of the script is broken, and what to write instead
// Three promises are kept here: the stored program still fails as it did, the script still reduces to one that small, and once mended it runs through.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/failure/failure.h"
#include "harness/oracle/oracle.h"
#include "harness/program/text_form.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

const std::string kCorpus = MINREPRO_SOURCE_DIR "/corpus/known_failures";

std::vector<std::string> known_failures() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCorpus)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

json json_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
  return text.ok() ? json::parse(*text) : json();
}

class KnownFailure : public testing::TestWithParam<std::string> {
 protected:
  std::string folder() const { return kCorpus + "/" + GetParam(); }
  json expected() const { return json_file(folder() + "/expected.json"); }
  /// Records the script with the folder's options, in the folder that the trace is in.
  Ran record(const std::string& script, const std::string& trace) const {
    std::vector<std::string> words = {"record", "-o", trace};
    const json e = expected();
    for (const json& option : e["record"]) words.push_back(option.get<std::string>());
    for (const std::string& word : {std::string("--"), std::string(MINREPRO_PYTHON), script}) words.push_back(word);
    return run_minrepro(words, fs::path(trace).parent_path().string());
  }
};

TEST_P(KnownFailure, TheStoredProgramStillFails) {
  const json e = expected();
  const Result<std::string> text = read_file(folder() + "/program.json");
  ASSERT_TRUE(text.ok());
  const Result<Program> program = program_from_text(*text);
  ASSERT_TRUE(program.ok()) << program.error().message;
  const Result<Signature> wanted = signature_from_json(e["signature"]);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message;

  auto worker = Worker::start({MINREPRO_BUILD_DIR "/minrepro-worker", MINREPRO_BUILD_DIR "/libminrepro_sim.so", {}, 1});
  ASSERT_TRUE(worker.ok()) << worker.error().message;
  RunLimits limits;
  limits.seconds = wanted->kind == FailureKind::kHang ? 3 : 60;
  const auto outcomes = (*worker)->run({&*program, 1}, limits);
  ASSERT_TRUE(outcomes.ok());
  EXPECT_EQ(signature_of(outcomes->front()), *wanted) << to_text(signature_of(outcomes->front()));
  EXPECT_EQ(program->calls.size(), e["calls"].get<std::size_t>());
  EXPECT_LE(count_elements(*program), e["elements"].get<int64_t>());
}

TEST_P(KnownFailure, TheScriptGoesToAVerifiedRepro) {
  const json e = expected();
  Result<TemporaryFolder> out = TemporaryFolder::create("end_to_end");
  ASSERT_TRUE(out.ok());
  const std::string trace = out->path() + "/a.trace";
  const Ran recorded = record(folder() + "/original.py", trace);
  EXPECT_EQ(recorded.status, e["status"].get<int>()) << recorded.error;
  for (const json& part : e["summary"]) EXPECT_THAT(recorded.error, HasSubstr(part.get<std::string>()));

  const std::string repro = out->path() + "/a.repro";
  const Ran reduced = run_minrepro({"reduce", trace, "-o", repro, "--json"}, out->path());
  const json report = json::parse(reduced.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(report.is_object()) << reduced.output << reduced.error;
  const Result<std::string> program = read_file(repro + "/program.json");
  ASSERT_EQ(reduced.status, 0) << report.value("not_verified", "") << "\n" << (program.ok() ? *program : program.error().message);
  EXPECT_EQ(report, json_file(repro + "/reduction.json"));
  EXPECT_EQ(report["device"], e["device"]);
  EXPECT_TRUE(report["verified"].get<bool>()) << report.dump(2);
  EXPECT_TRUE(report["minimal"].get<bool>());
  EXPECT_EQ(report["calls_after"], e["calls"]);
  EXPECT_LE(report["elements_after"].get<int64_t>(), e["elements"].get<int64_t>());
  EXPECT_EQ(report["signature"], e["signature"]);
  for (const char* file : {"repro.cpp", "CMakeLists.txt", "repro.py", "program.json", "ISSUE.md"}) EXPECT_TRUE(fs::exists(repro + "/" + file)) << file;
  for (const char* file : {"repro.cpp", "program.json"}) {
    const Result<std::string> made = read_file(repro + "/" + file);
    const Result<std::string> stored = read_file(folder() + "/" + file);
    ASSERT_TRUE(made.ok() && stored.ok());
    EXPECT_EQ(*made, *stored) << "if the new one is better: tools/add_known_failure.sh";
  }
}

TEST_P(KnownFailure, TheMendedScriptRunsThrough) {
  Result<TemporaryFolder> out = TemporaryFolder::create("end_to_end");
  ASSERT_TRUE(out.ok());
  Result<std::string> script = read_file(folder() + "/original.py");
  ASSERT_TRUE(script.ok());
  const json mend = json_file(folder() + "/mend.json");
  const auto broken = mend["broken"].get<std::string>();
  const std::size_t at = script->find(broken);
  ASSERT_NE(at, std::string::npos) << broken;
  script->replace(at, broken.size(), mend["mended"].get<std::string>());
  const std::string mended = out->path() + "/mended.py";
  ASSERT_TRUE(write_file(mended, *script).ok());

  const Ran recorded = record(mended, out->path() + "/a.trace");
  EXPECT_EQ(recorded.status, 0) << recorded.error;
  EXPECT_THAT(recorded.error, HasSubstr("no failure"));
}

INSTANTIATE_TEST_SUITE_P(Corpus, KnownFailure, testing::ValuesIn(known_failures()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace minrepro
