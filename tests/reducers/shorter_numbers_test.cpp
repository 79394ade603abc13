#include "reducers/shorter_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace minrepro {
namespace {
using testing::ElementsAre;

TEST(ShorterNumbers, SmallIntegers) {
  EXPECT_THAT(shorter_integers(0), ElementsAre());
  EXPECT_THAT(shorter_integers(1), ElementsAre(0));
  EXPECT_THAT(shorter_integers(-1), ElementsAre(0, 1));
  EXPECT_THAT(shorter_integers(5), ElementsAre(0, 1, -1, 2, 4));
}

TEST(ShorterNumbers, LargeIntegersGoDownBitByBit) {
  const std::vector<int64_t> list = shorter_integers(INT64_MIN);
  EXPECT_EQ(list[0], 0);
  EXPECT_THAT(list, testing::Contains(INT64_MIN / 2));
  EXPECT_THAT(list, testing::Contains(INT64_MIN + 1));
  for (const int64_t candidate : list) EXPECT_GT(candidate, INT64_MIN);
}

TEST(ShorterNumbers, Reals) {
  EXPECT_THAT(shorter_reals(0.0), ElementsAre());
  EXPECT_THAT(shorter_reals(0.5), ElementsAre(0, 1, -1));
  EXPECT_THAT(shorter_reals(3.25), ElementsAre(0, 1, -1, 0.5, 2, 3));
  EXPECT_EQ(shorter_reals(std::numeric_limits<double>::quiet_NaN()).size(), 5u);
  EXPECT_TRUE(std::isnan(shorter_reals(std::numeric_limits<double>::infinity()).back()));
}

}  // namespace
}  // namespace minrepro
