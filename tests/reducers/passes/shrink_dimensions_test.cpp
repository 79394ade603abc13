#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {
using testing::ElementsAre;

TEST(ShrinkDimensions, LeapsToTheOffendingElement) {
  const auto edits = edits_of(shrink_dimensions, bad_gather());
  ASSERT_EQ(edits[0].text, "every dimension to 1");
  EXPECT_THAT(edits[0].result->find_leaf(0)->meta.sizes, ElementsAre(1, 1));
  EXPECT_THAT(integers_of(*edits[0].result->find_leaf(1)), ElementsAre(5));    // 9 with bound 5 keeps its distance: 5 with bound 1
}

TEST(ShrinkDimensions, EqualSizesShrinkTogether) {
  const auto edits = edits_of(shrink_dimensions, bad_gather());
  const FoundEdit* edit = find_edit(edits, "dimensions 0:0, 1:0 from 2 to 1");
  ASSERT_TRUE(edit);
  EXPECT_THAT(edit->result->find_leaf(0)->meta.sizes, ElementsAre(1, 5));
  EXPECT_THAT(integers_of(*edit->result->find_leaf(1)), ElementsAre(9, 2, 3));  // the row with the offending element stays
}

TEST(ShrinkDimensions, EachAloneIsOfferedToo) {
  const auto edits = edits_of(shrink_dimensions, bad_gather());
  const FoundEdit* edit = find_edit(edits, "dimensions 1:0 from 2 to 1");
  ASSERT_TRUE(edit);
  EXPECT_THAT(edit->result->find_leaf(0)->meta.sizes, ElementsAre(2, 5));
  EXPECT_THAT(edit->result->find_leaf(1)->meta.sizes, ElementsAre(1, 3));
}

TEST(ShrinkDimensions, IntegersOfTheSameSizeFollow) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [14], "constant": 1})",
                               R"({"op": "aten::full", "args": {"size": [14, 3], "fill_value": 14}, "results": [1]},
                                  {"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [2]})");
  const auto edits = edits_of(shrink_dimensions, p);
  const FoundEdit* edit = find_edit(edits, "from 14 to 1");
  ASSERT_TRUE(edit);
  EXPECT_EQ(*edit->result->calls[0].find("size"), Value(Value::List{int64_t{1}, int64_t{3}}));
}

TEST(ShrinkDimensions, ATensorThatIsJudgedAsAWholeHasNoOffendingElement) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [4, 2], "constant": 1}, {"id": 1, "dtype": "bool", "shape": [4, 2], "constant": 1},
                                  {"id": 2, "dtype": "float32", "shape": [2, 2], "constant": 1})",
                               R"({"op": "aten::masked_scatter", "args": {"self": {"tensor": 0}, "mask": {"tensor": 1}, "source": {"tensor": 2}}, "results": [3]})");
  const auto edits = edits_of(shrink_dimensions, p);
  const FoundEdit* edit = find_edit(edits, "dimensions 2:0 from 2 to 1");
  ASSERT_TRUE(edit);
  EXPECT_THAT(edit->result->find_leaf(2)->meta.sizes, ElementsAre(1, 2));
}

TEST(ShrinkDimensions, SizesOfOneAndViewsAreLeftAlone) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [1, 1], "constant": 1}, {"id": 1, "dtype": "float32", "shape": [8], "constant": 1},
                                  {"id": 2, "dtype": "float32", "shape": [4], "view_of": 1, "offset": 2})",
                               R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [3]}, {"op": "aten::neg", "args": {"self": {"tensor": 2}}, "results": [4]})");
  EXPECT_TRUE(edits_of(shrink_dimensions, p).empty());
}

}  // namespace
}  // namespace minrepro
