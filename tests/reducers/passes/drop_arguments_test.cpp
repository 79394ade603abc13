#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {

const Program kLoss = program_of(
    R"({"id": 0, "dtype": "float32", "shape": [2, 3], "random": 1}, {"id": 1, "dtype": "int64", "shape": [2], "values": [0, 3]}, {"id": 2, "dtype": "float32", "shape": [3], "constant": 1})",
    R"({"op": "aten::cross_entropy_loss", "args": {"self": {"tensor": 0}, "target": {"tensor": 1}, "weight": {"tensor": 2}, "label_smoothing": 0.1}, "results": [3]})");

TEST(DropArguments, OffersAllThatHaveADefaultAtOnceAndEachAlone) {
  const auto edits = edits_of(drop_arguments, kLoss);
  ASSERT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits[0].result->calls[0].args.size(), 2u);
  EXPECT_EQ(edits[0].result->find_leaf(2), nullptr);                 // the weight is gone with its argument
  EXPECT_EQ(edits[1].result->calls[0].find("weight"), nullptr);
  EXPECT_NE(edits[1].result->calls[0].find("label_smoothing"), nullptr);
}

TEST(DropArguments, TakesElementsOutOfTensorLists) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 1}, {"id": 1, "dtype": "float32", "shape": [2], "constant": 1})",
                               R"({"op": "aten::cat", "args": {"tensors": [{"tensor": 0}, {"tensor": 1}]}, "results": [2]})");
  const auto edits = edits_of(drop_arguments, p);
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(*edits[0].result->calls[0].find("tensors"), Value(Value::List{TensorRef{1}}));
  EXPECT_EQ(edits[0].result->leaves.size(), 1u);
}

TEST(DropArguments, RequiredOnesStay) { EXPECT_TRUE(edits_of(drop_arguments, bad_gather()).empty()); }

}  // namespace
}  // namespace minrepro
