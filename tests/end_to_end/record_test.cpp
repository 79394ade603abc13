// minrepro record as a parent of the command.
#include <gmock/gmock.h>

#include "harness/base/files.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {

TEST(Record, ACommandThatStopsItselfIsEndedWhenItsTimeIsUp) {
  const auto folder = TemporaryFolder::create("record");
  // In a session without a terminal, as in CI.
  const Ran ran = run_command_line({"/usr/bin/setsid", "--wait", MINREPRO_BUILD_DIR "/minrepro", "record", "--time", "1", "-o", folder->path() + "/a.trace", "--",
                                    "/bin/sh", "-c", "kill -STOP $$"}, "", 60);
  EXPECT_EQ(ran.status, 124) << ran.error;
}

}  // namespace
}  // namespace minrepro
