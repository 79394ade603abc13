#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {
using testing::ElementsAre;

TEST(SimplifyValues, BadIndicesGoToTheirBoundGoodOnesToZero) {
  const auto edits = edits_of(simplify_values, bad_gather());
  ASSERT_EQ(edits[0].text, "tensor 1: indices to their bounds");
  EXPECT_THAT(integers_of(*edits[0].result->find_leaf(1)), ElementsAre(0, 0, 0, 5, 0, 0));
}

TEST(SimplifyValues, ThenPiecesThenSingleElements) {
  const auto edits = edits_of(simplify_values, bad_gather());
  EXPECT_THAT(integers_of(*find_edit(edits, "zeros in elements 0 to 2")->result->find_leaf(1)), ElementsAre(0, 0, 0, 9, 2, 3));
  EXPECT_THAT(integers_of(*find_edit(edits, "element 3 from 9 to 5")->result->find_leaf(1)), ElementsAre(0, 1, 4, 5, 2, 3));
}

TEST(SimplifyValues, RealsGetShorter) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [2], "values": [3.25, "inf"]})", R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [1]})");
  const auto edits = edits_of(simplify_values, p);
  EXPECT_TRUE(find_edit(edits, "element 0 from 3.25 to 0"));
  EXPECT_TRUE(find_edit(edits, "element 1 from inf to nan"));
}

TEST(SimplifyValues, ConstantsHaveNoValues) {
  Program p = bad_gather();
  p.leaves[1].fill = ConstantFill{9};
  EXPECT_TRUE(edits_of(simplify_values, p).empty());
}

}  // namespace
}  // namespace minrepro
