// Help texts are documentation: golden files hold them. MINREPRO_UPDATE_GOLDEN=1 writes them anew.
#include <gmock/gmock.h>

#include <cstdlib>

#include "harness/base/files.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {
using testing::HasSubstr;

class Help : public testing::TestWithParam<const char*> {};

TEST_P(Help, IsAsStored) {
  const std::string command = GetParam();
  const Ran help = command.empty() ? run_minrepro({"--help"}) : run_minrepro({command, "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.error, "");
  if (!command.empty()) {
    EXPECT_THAT(help.output, HasSubstr("minrepro " + command));
    EXPECT_THAT(help.output, HasSubstr("Example:"));
  }
  const std::string golden = std::string(MINREPRO_SOURCE_DIR "/tests/golden/help/") + (command.empty() ? "minrepro" : command) + ".txt";
  if (std::getenv("MINREPRO_UPDATE_GOLDEN")) {
    ASSERT_TRUE(write_file(golden, help.output).ok());
  }
  const Result<std::string> stored = read_file(golden);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(help.output, *stored);
}

INSTANTIATE_TEST_SUITE_P(Commands, Help, testing::Values("", "record", "show", "reduce", "verify", "run"));

}  // namespace
}  // namespace minrepro
