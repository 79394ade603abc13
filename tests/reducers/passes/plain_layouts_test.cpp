#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {
using testing::ElementsAre;

TEST(PlainLayouts, AViewGetsItsElementsAsItsOwn) {
  const Program p = program_of(R"({"id": 0, "dtype": "int64", "shape": [6], "values": [0, 1, 2, 3, 4, 5]}, {"id": 1, "dtype": "int64", "shape": [2, 2], "strides": [1, 2], "view_of": 0, "offset": 1})",
                               R"({"op": "aten::neg", "args": {"self": {"tensor": 1}}, "results": [2]})");
  const auto edits = edits_of(plain_layouts, p);
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_THAT(integers_of(*edits[0].result->find_leaf(1)), ElementsAre(1, 3, 2, 4));
  EXPECT_FALSE(edits[0].result->find_leaf(1)->view);
  EXPECT_EQ(edits[0].result->leaves.size(), 1u);
}

TEST(PlainLayouts, StridesDevicesAndSeedsBecomePlain) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [2, 3], "strides": [1, 2], "constant": 1, "device": "cpu"}, {"id": 1, "dtype": "float32", "shape": [2], "strides": [0], "constant": 1})",
                               R"({"op": "aten::add.Tensor", "args": {"self": {"tensor": 0}, "other": {"tensor": 1}}, "results": [2], "seed": 5})");
  const auto edits = edits_of(plain_layouts, p);
  const FoundEdit* all = find_edit(edits, "every tensor contiguous");
  ASSERT_TRUE(all);
  EXPECT_THAT(all->result->find_leaf(0)->meta.strides, ElementsAre(3, 1));
  EXPECT_THAT(all->result->find_leaf(1)->meta.strides, ElementsAre(1));
  EXPECT_EQ(find_edit(edits, "plain one on the program's device")->result->find_leaf(0)->device, std::nullopt);
  EXPECT_EQ(find_edit(edits, "without a seed")->result->calls[0].seed, std::nullopt);
}

TEST(PlainLayouts, NothingToDoForPlainTensors) { EXPECT_TRUE(edits_of(plain_layouts, bad_gather()).empty()); }

}  // namespace
}  // namespace minrepro
