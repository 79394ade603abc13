// minrepro verify: builds a folder and believes nothing that it did not see.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {
using nlohmann::json;
using testing::HasSubstr;

class Verify : public testing::Test {
 protected:
  Verify() : out_(TemporaryFolder::create("verify")) {}

  /// The folder of a known failure, not verified yet.
  std::string folder_of(const std::string& known) {
    const std::string folder = out_->path() + "/a.repro";
    const Ran reduced = run_minrepro({"reduce", MINREPRO_SOURCE_DIR "/corpus/known_failures/" + known + "/program.json", "-o", folder, "--no-verify", "--json"});
    EXPECT_EQ(reduced.status, 0) << reduced.error;
    const json report = json::parse(reduced.output);
    EXPECT_FALSE(report["verified"].get<bool>());
    EXPECT_EQ(report["not_verified"], "--no-verify was given");
    return folder;
  }

  void replace_program(const std::string& folder, const std::string& text) const { ASSERT_TRUE(write_file(folder + "/repro.cpp", text).ok()); }

  Result<TemporaryFolder> out_;
};

TEST_F(Verify, OnTheCpuNothingIsSimulated) {
  const Ran ran = run_minrepro({"verify", folder_of("div_trunc_minimum"), "--repeat", "2", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  const json report = json::parse(ran.output);
  EXPECT_TRUE(report["verified"].get<bool>());
  EXPECT_EQ(report["failed_same"], 2);
  EXPECT_EQ(report["device"], "cpu");
}

TEST_F(Verify, AProgramThatDoesNotFailIsNotVerified) {
  const std::string folder = folder_of("position_overflow");
  replace_program(folder, "int main() {}\n");
  const Ran ran = run_minrepro({"verify", folder});
  EXPECT_EQ(ran.status, 1) << ran.error;
  EXPECT_THAT(ran.output, HasSubstr("NOT verified"));
}

TEST_F(Verify, AnotherFailureIsNotTheWantedOne) {
  const std::string folder = folder_of("position_overflow");
  replace_program(folder, "#include <cstdlib>\nint main() { std::abort(); }\n");
  const Ran ran = run_minrepro({"verify", folder, "--json"});
  EXPECT_EQ(ran.status, 1) << ran.error;
  const json report = json::parse(ran.output);
  EXPECT_TRUE(report["built"].get<bool>());
  EXPECT_FALSE(report["verified"].get<bool>());
  EXPECT_EQ(report["failed_same"], 0);
}

TEST_F(Verify, WithoutMakeNinjaBuildsIt) {
  const std::string folder = folder_of("position_overflow");
  replace_program(folder, "int main() {}\n");
  // All programs but one.
  const std::string programs = out_->path() + "/bin";
  ASSERT_TRUE(make_folder(programs).ok());
  for (const char* from : {"/usr/local/bin", "/usr/bin"})
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      const std::string name = entry.path().filename().string();
      std::error_code there_is_one;
      if (name != "make" && name != "gmake") std::filesystem::create_symlink(entry.path(), programs + "/" + name, there_is_one);
    }
  const Ran ran = run_command_line({"/usr/bin/env", "-u", "CMAKE_GENERATOR", "PATH=" + programs, MINREPRO_BUILD_DIR "/minrepro", "verify", folder, "--json"});
  EXPECT_EQ(ran.status, 1) << ran.error;
  EXPECT_TRUE(json::parse(ran.output)["built"].get<bool>()) << ran.output;
}

TEST_F(Verify, AProgramThatDoesNotBuildSaysWhere) {
  const std::string folder = folder_of("position_overflow");
  replace_program(folder, "int main() { return undeclared; }\n");
  const Ran ran = run_minrepro({"verify", folder});
  EXPECT_EQ(ran.status, 1) << ran.error;
  EXPECT_THAT(ran.output, HasSubstr("it does not build: repro.cpp:1"));
}

}  // namespace
}  // namespace minrepro
