// What the README tells a user to type works as it stands there.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "harness/base/files.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kSource = MINREPRO_SOURCE_DIR;

std::string readme() {
  const Result<std::string> text = read_file(kSource + "/README.md");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

/// The lines of the README's shell blocks that begin with `start`, without their comments.
std::vector<std::string> commands_that_start_with(const std::string& start) {
  std::vector<std::string> commands;
  bool in_block = false;
  std::istringstream lines(readme());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_block = line == "```sh";
    if (in_block && line.starts_with(start)) commands.push_back(line.substr(0, line.find("  #")));
  }
  return commands;
}

/// As a shell in `folder` understands it, with the build folder where this build is and its Python first.
Ran run_as_typed(std::string command, const std::string& folder) {
  if (const std::size_t at = command.find("build/libminrepro_sim.so"); at != std::string::npos) command.replace(at, 5, MINREPRO_BUILD_DIR);
  if (const std::size_t at = command.find("build/minrepro"); at != std::string::npos) command.replace(at, 5, MINREPRO_BUILD_DIR);
  if (const std::size_t at = command.find("build/venv/bin/python"); at != std::string::npos) command.replace(at, 21, MINREPRO_PYTHON);
  const std::string path = "PATH=" + fs::path(MINREPRO_PYTHON).parent_path().string() + ":$PATH ";
  return run_command_line({"/bin/bash", "-c", path + command}, folder);
}

TEST(Readme, ItsTwoCommandsAreThere) {
  const std::vector<std::string> commands = commands_that_start_with("tools/");
  ASSERT_EQ(commands.size(), 2U);
  for (std::string command : commands) {
    while (command.ends_with(' ')) command.pop_back();
    EXPECT_TRUE((fs::status(kSource + "/" + command).permissions() & fs::perms::owner_exec) != fs::perms::none) << command;
  }
}

TEST(Readme, FromTheUsersOwnScriptToAVerifiedRepro) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("readme");
  ASSERT_TRUE(folder.ok());
  fs::copy_file(kSource + "/corpus/known_failures/position_overflow/original.py", folder->path() + "/train.py");
  const std::vector<std::string> commands = commands_that_start_with("build/minrepro ");
  ASSERT_EQ(commands.size(), 3U);
  const Ran recorded = run_as_typed(commands[0], folder->path());
  EXPECT_EQ(recorded.status, 1) << recorded.error;
  EXPECT_THAT(recorded.error, HasSubstr("next:  minrepro reduce train.trace"));
  const Ran reduced = run_as_typed(commands[1], folder->path());
  EXPECT_EQ(reduced.status, 0) << reduced.error;
  const Ran verified = run_as_typed(commands[2], folder->path());
  EXPECT_EQ(verified.status, 0) << verified.error;
  EXPECT_THAT(verified.output, HasSubstr("3 of 3 runs fail the same way on sim; not verified on CUDA"));

  const std::string text = readme();
  for (const char* file : {"repro.cpp", "CMakeLists.txt", "repro.py", "ISSUE.md", "program.json", "reduction.json"}) {
    EXPECT_THAT(text, HasSubstr(std::string("| `") + file + "` |"));
    EXPECT_TRUE(fs::exists(folder->path() + "/train.repro/" + file)) << file;
  }

  // By hand; an empty program in its place saves the time that LibTorch's headers take.
  ASSERT_TRUE(write_file(folder->path() + "/train.repro/repro.cpp", "int main() {}\n").ok());
  const std::vector<std::string> by_hand = commands_that_start_with("cmake ");
  ASSERT_EQ(by_hand.size(), 2U);
  for (const std::string& command : by_hand) {
    const Ran ran = run_as_typed(command, folder->path());
    EXPECT_EQ(ran.status, 0) << command << '\n' << ran.error;
  }
  const std::vector<std::string> on_sim = commands_that_start_with("LD_PRELOAD=");
  ASSERT_EQ(on_sim.size(), 1U);
  EXPECT_EQ(run_as_typed(on_sim.front(), folder->path()).status, 0);
}

}  // namespace
}  // namespace minrepro
