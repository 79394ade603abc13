#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {

double constant_of(const Program& p, int id) { return std::get<ConstantFill>(p.find_leaf(id)->fill).value; }

TEST(SimplifyFills, OffersZerosOnesAndHalves) {
  const auto edits = edits_of(simplify_fills, bad_gather());
  EXPECT_EQ(constant_of(*find_edit(edits, "tensor 0 filled with 0")->result, 0), 0);
  EXPECT_EQ(constant_of(*find_edit(edits, "tensor 0 filled with 1")->result, 0), 1);
  EXPECT_EQ(constant_of(*find_edit(edits, "tensor 0 filled with 0.5")->result, 0), 0.5);
  EXPECT_EQ(find_edit(edits, "tensor 1 filled with 0.5"), nullptr);               // integers have no half
}

TEST(SimplifyFills, AllHarmlessTensorsAtOnceComesFirst) {
  const Program p = program_of(
      R"({"id": 0, "dtype": "float32", "shape": [2, 3], "random": 1}, {"id": 1, "dtype": "int64", "shape": [2], "values": [0, 3]}, {"id": 2, "dtype": "float32", "shape": [3], "random": 2})",
      R"({"op": "aten::nll_loss_forward", "args": {"self": {"tensor": 0}, "target": {"tensor": 1}, "weight": {"tensor": 2}, "reduction": 1, "ignore_index": -100}, "results": [3, 4]})");
  const auto edits = edits_of(simplify_fills, p);
  ASSERT_EQ(edits[0].text, "zeros in all tensors that break no rule");
  EXPECT_EQ(constant_of(*edits[0].result, 0), 0);
  EXPECT_EQ(constant_of(*edits[0].result, 2), 0);
  EXPECT_TRUE(std::holds_alternative<ValuesFill>(edits[0].result->find_leaf(1)->fill));
}

TEST(SimplifyFills, ZerosAreLeftAlone) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 0})", R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [1]})");
  EXPECT_TRUE(edits_of(simplify_fills, p).empty());
}

}  // namespace
}  // namespace minrepro
