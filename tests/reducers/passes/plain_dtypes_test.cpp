#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {

TEST(PlainDtypes, ConvertsValuesAndArgumentsTogether) {
  const Program p = program_of(R"({"id": 0, "dtype": "float16", "shape": [2], "values": [0.5, "nan"]}, {"id": 1, "dtype": "float16", "shape": [2], "constant": 1}, {"id": 2, "dtype": "int32", "shape": [1], "values": [-7]})",
                               R"({"op": "aten::full", "args": {"size": [1], "fill_value": 1, "dtype": {"dtype": "float16"}}, "results": [3]},
                                  {"op": "aten::cat", "args": {"tensors": [{"tensor": 0}, {"tensor": 1}, {"tensor": 2}]}, "results": [4]})");
  const auto edits = edits_of(plain_dtypes, p);
  ASSERT_EQ(edits.size(), 4u);                                                     // both halves together, each alone, the integers
  const FoundEdit* floats = find_edit(edits, "float16 as float32");
  EXPECT_EQ(floats->result->find_leaf(0)->meta.dtype, DType::kFloat32);
  EXPECT_EQ(floats->result->find_leaf(1)->meta.dtype, DType::kFloat32);
  EXPECT_EQ(*floats->result->calls[0].find("dtype"), Value(DTypeValue{DType::kFloat32}));
  const auto& bytes = *std::get<ValuesFill>(floats->result->find_leaf(0)->fill).bytes;
  EXPECT_EQ(read_real(DType::kFloat32, bytes.data()), 0.5);
  EXPECT_TRUE(std::isnan(read_real(DType::kFloat32, bytes.data() + 4)));
  EXPECT_THAT(integers_of(*find_edit(edits, "int32 as int64")->result->find_leaf(2)), testing::ElementsAre(-7));
}

TEST(PlainDtypes, NothingToDoForPlainTypes) { EXPECT_TRUE(edits_of(plain_dtypes, bad_gather()).empty()); }

}  // namespace
}  // namespace minrepro
