#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {
using testing::ElementsAre;

TEST(ReduceRank, TakesTheSameDimensionOutOfAllAndTheDimArgumentFollows) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [1, 5, 1], "random": 1}, {"id": 1, "dtype": "int64", "shape": [1, 1, 1], "values": [9]})",
                               R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]})");
  const auto edits = edits_of(reduce_rank, p);
  const FoundEdit* first = find_edit(edits, "2 tensors without dimension 0");
  ASSERT_TRUE(first);
  EXPECT_THAT(first->result->find_leaf(0)->meta.sizes, ElementsAre(5, 1));
  EXPECT_EQ(*first->result->calls[0].find("dim"), Value(int64_t{0}));
  const FoundEdit* last = find_edit(edits, "2 tensors without dimension 2");
  ASSERT_TRUE(last);
  EXPECT_EQ(*last->result->calls[0].find("dim"), Value(int64_t{1}));            // lies before the dimension that went
}

TEST(ReduceRank, TheLastDimensionStays) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [1], "constant": 1}, {"id": 1, "dtype": "int64", "shape": [1], "values": [1]})",
                               R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 0, "index": {"tensor": 1}}, "results": [2]})");
  EXPECT_TRUE(edits_of(reduce_rank, p).empty());
}

TEST(ReduceRank, LongerDimensionsStay) { EXPECT_TRUE(edits_of(reduce_rank, bad_gather()).empty()); }

}  // namespace
}  // namespace minrepro
