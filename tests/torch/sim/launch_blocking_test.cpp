// CUDA_LAUNCH_BLOCKING is read once in a process, so its test has one of its own.
#include <cstdlib>

#include <gmock/gmock.h>

#include "tests/torch/sim/failing_calls.h"

namespace minrepro::sim {
namespace {

const bool blocking = setenv("CUDA_LAUNCH_BLOCKING", "1", 1) == 0;

TEST(LaunchBlocking, TheCulpritItselfThrowsAndSaysNothingOfOtherCalls) {
  ASSERT_TRUE(blocking);
  const std::string error = sticky_error_of([] { bad_lookup(); });
  EXPECT_THAT(error, ::testing::StartsWith("CUDA error: device-side assert triggered"));
  EXPECT_THAT(error, ::testing::Not(::testing::HasSubstr("asynchronously")));
  EXPECT_NE(violation(), "");
}

}  // namespace
}  // namespace minrepro::sim
