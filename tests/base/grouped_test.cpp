#include "harness/base/grouped.h"

#include <gtest/gtest.h>

namespace minrepro {
namespace {

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1204), "1,204");
  EXPECT_EQ(grouped(131080), "131,080");
  EXPECT_EQ(grouped(1000000), "1,000,000");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

}  // namespace
}  // namespace minrepro
