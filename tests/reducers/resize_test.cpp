#include "reducers/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {
using testing::ElementsAre;

struct Resize : testing::Test {
  OpCatalog catalog = test_catalog();
  std::map<int, TensorMeta> metas;
  PassContext context{catalog, metas};
};

TEST_F(Resize, PicksTheValuesThatStay) {
  const LeafDimension dimensions[] = {{1, 1}};
  const int64_t keep[] = {0, 2};
  const auto p = keep_positions(bad_gather(), dimensions, {}, keep, context);
  ASSERT_TRUE(p);
  EXPECT_THAT(integers_of(*p->find_leaf(1)), ElementsAre(0, 4, 9, 3));
  EXPECT_THAT(p->find_leaf(1)->meta.strides, ElementsAre(2, 1));
}

TEST_F(Resize, IndicesFollowTheirBound) {
  const LeafDimension dimensions[] = {{0, 1}};
  const int64_t keep[] = {0, 1};
  const auto p = keep_positions(bad_gather(), dimensions, {}, keep, context);
  ASSERT_TRUE(p);
  EXPECT_THAT(integers_of(*p->find_leaf(1)), ElementsAre(0, 1, 1, 6, 1, 1));      // 9 was 4 past the bound 5, and is 4 past the bound 2
}

TEST_F(Resize, NegativeOnesKeepTheirDistanceToo) {
  Program before = program_of(R"({"id": 0, "dtype": "float32", "shape": [10], "random": 1}, {"id": 1, "dtype": "int64", "shape": [4], "values": [-12, -10, -1, 9]})",
                              R"({"op": "aten::index.Tensor", "args": {"self": {"tensor": 0}, "indices": [{"tensor": 1}]}, "results": [2]})");
  const LeafDimension dimensions[] = {{0, 0}};
  const int64_t keep[] = {0, 1, 2};
  const auto p = keep_positions(before, dimensions, {}, keep, context);
  ASSERT_TRUE(p);
  EXPECT_THAT(integers_of(*p->find_leaf(1)), ElementsAre(-5, -3, -1, 2));
}

TEST_F(Resize, TheIgnoredValueStays) {
  Program before = program_of(R"({"id": 0, "dtype": "float32", "shape": [3, 10], "random": 1}, {"id": 1, "dtype": "int64", "shape": [3], "values": [-100, 9, 10]})",
                              R"({"op": "aten::nll_loss_forward", "args": {"self": {"tensor": 0}, "target": {"tensor": 1}, "weight": null, "reduction": 1, "ignore_index": -100}, "results": [2, 3]})");
  const LeafDimension dimensions[] = {{0, 1}};
  const int64_t keep[] = {0};
  const auto p = keep_positions(before, dimensions, {}, keep, context);
  ASSERT_TRUE(p);
  EXPECT_THAT(integers_of(*p->find_leaf(1)), ElementsAre(-100, 0, 1));
}

TEST_F(Resize, RefusesPositionsOutOfRange) {
  const LeafDimension dimensions[] = {{1, 1}};
  const int64_t keep[] = {3};
  EXPECT_EQ(keep_positions(bad_gather(), dimensions, {}, keep, context), std::nullopt);
  const LeafDimension gone[] = {{7, 0}};
  EXPECT_EQ(keep_positions(bad_gather(), gone, {}, keep, context), std::nullopt);
}

TEST(Strides, KeepTheirOrderAndExpandedOnesStayExpanded) {
  EXPECT_THAT(strides_like({DType::kFloat32, {4, 6}, {1, 4}, "strided"}, {2, 3}), ElementsAre(1, 2));
  EXPECT_THAT(strides_like({DType::kFloat32, {4, 6}, {0, 1}, "strided"}, {2, 3}), ElementsAre(0, 1));
  EXPECT_THAT(strides_like({DType::kFloat32, {4, 6}, {6, 1}, "strided"}, {2, 3}), ElementsAre(3, 1));
}

}  // namespace
}  // namespace minrepro
