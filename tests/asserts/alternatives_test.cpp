#include "harness/asserts/alternatives.h"

#include <gmock/gmock.h>

#include <vector>

namespace minrepro::asserts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> parts_of(std::string_view names) {
  std::vector<std::string_view> parts;
  for (std::string_view name : alternatives(names)) parts.push_back(name);
  return parts;
}

TEST(Alternatives, AreTheNamesBetweenTheBars) {
  EXPECT_THAT(parts_of("self"), ElementsAre("self"));
  EXPECT_THAT(parts_of("index|indices"), ElementsAre("index", "indices"));
  EXPECT_THAT(parts_of("a|bc|def"), ElementsAre("a", "bc", "def"));
}

TEST(Alternatives, AreNoneWhereNothingIsNamed) { EXPECT_THAT(parts_of(""), IsEmpty()); }

TEST(Alternatives, AreComparedAsAWhole) {
  EXPECT_TRUE(is_one_of("int32", "int32|int64"));
  EXPECT_TRUE(is_one_of("int64", "int32|int64"));
  EXPECT_FALSE(is_one_of("int", "int32|int64"));
  EXPECT_FALSE(is_one_of("int32|int64", "int32|int64"));
  EXPECT_FALSE(is_one_of("", "int32"));
  EXPECT_FALSE(is_one_of("int32", ""));
}

}  // namespace
}  // namespace minrepro::asserts
