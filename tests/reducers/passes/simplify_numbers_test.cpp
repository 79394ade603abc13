#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {

TEST(SimplifyNumbers, OffersShorterIntegersFloatsAndFalse) {
  const Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [1, 4], "constant": 1})",
                               R"({"op": "aten::multinomial", "args": {"self": {"tensor": 0}, "num_samples": 3, "replacement": true}, "results": [1]})");
  const auto edits = edits_of(simplify_numbers, p);
  ASSERT_EQ(edits.size(), 5u);                                                          // 0, 1, -1, 2 for 3, and false
  EXPECT_EQ(*edits[0].result->calls[0].find("num_samples"), Value(int64_t{0}));
  EXPECT_EQ(*edits[4].result->calls[0].find("replacement"), Value(false));
}

TEST(SimplifyNumbers, ReachesIntoLists) {
  const Program p = program_of("", R"({"op": "aten::full", "args": {"size": [7, 1], "fill_value": 0.0}, "results": [1]})");
  const auto edits = edits_of(simplify_numbers, p);
  EXPECT_EQ(*edits[0].result->calls[0].find("size"), Value(Value::List{int64_t{0}, int64_t{1}}));
}

}  // namespace
}  // namespace minrepro
