#include "harness/base/stop.h"

#include <gtest/gtest.h>

namespace minrepro {
namespace {

TEST(StopCondition, StopsAfterItsBudget) {
  double now = 100;
  const StopCondition stop(5, nullptr, [&] { return now; });
  EXPECT_FALSE(stop.should_stop());
  now = 104;
  EXPECT_FALSE(stop.should_stop());
  EXPECT_EQ(stop.elapsed(), 4);
  now = 105.5;
  EXPECT_TRUE(stop.should_stop());
  EXPECT_TRUE(stop.out_of_time());
  EXPECT_FALSE(stop.interrupted());
}

TEST(StopCondition, StopsWhenInterrupted) {
  std::atomic<bool> flag = false;
  const StopCondition stop(std::numeric_limits<double>::infinity(), &flag, [] { return 0.0; });
  EXPECT_FALSE(stop.should_stop());
  flag = true;
  EXPECT_TRUE(stop.should_stop());
  EXPECT_TRUE(stop.interrupted());
  EXPECT_FALSE(stop.out_of_time());
}

}  // namespace
}  // namespace minrepro
