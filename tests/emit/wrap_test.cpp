#include "harness/emit/wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minrepro::emit {
namespace {

TEST(Wrap, AShortStatementStaysOnItsLine) { EXPECT_EQ(wrapped("f(a, b);", 2), "  f(a, b);\n"); }

TEST(Wrap, ALongOneBreaksAfterCommas) {
  const std::string argument(50, 'x');
  EXPECT_EQ(wrapped("f(" + argument + ", " + argument + ", " + argument + ");", 2), "  f(" + argument + ", " + argument + ",\n      " + argument + ");\n");
}

TEST(Wrap, NeverBreaksAStringLiteral) {
  std::string literal = "\"";
  for (int i = 0; i < 60; ++i) literal += "a, ";
  literal += "\\\", \"";
  EXPECT_THAT(wrapped("f(" + literal + ", b);", 0), testing::HasSubstr(literal));
}

TEST(Wrap, PythonBreaksInsideBracketsOnly) {
  const std::string argument(60, 'x');
  EXPECT_EQ(wrapped("a, b = f(" + argument + ").g(" + argument + ", c)", 0, 1), "a, b = f(" + argument + ").g(" + argument + ",\n    c)\n");
}

TEST(Wrap, WhatHasNoPlaceToBreakStaysLong) { EXPECT_EQ(wrapped(std::string(200, 'x'), 2), "  " + std::string(200, 'x') + "\n"); }

TEST(Mentions, FindsWordsOutsideOfStrings) {
  EXPECT_TRUE(mentions("f(nan, 1)", "nan"));
  EXPECT_TRUE(mentions("{-inf}", "inf"));
  EXPECT_FALSE(mentions("f(\"nan\")", "nan"));
  EXPECT_FALSE(mentions("x.nan_to_num()", "nan"));
  EXPECT_FALSE(mentions("torch::inf", "inf"));
  EXPECT_FALSE(mentions("info", "inf"));
}

TEST(Joined, SeparatesByCommas) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"a", "b"}), "a, b");
}

}  // namespace
}  // namespace minrepro::emit
