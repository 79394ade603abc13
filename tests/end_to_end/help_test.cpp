// Help texts are documentation: golden files hold them.
#include <gmock/gmock.h>

#include "tests/support/command.h"
#include "tests/support/golden.h"

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
  expect_golden("help/" + (command.empty() ? "minrepro" : command) + ".txt", help.output);
}

INSTANTIATE_TEST_SUITE_P(Commands, Help, testing::Values("", "record", "show", "reduce", "verify", "run", "explain"));

}  // namespace
}  // namespace minrepro
