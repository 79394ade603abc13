#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/pass_test.h"

namespace minrepro {
namespace {

const char* kLeaf = R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 1}, {"id": 1, "dtype": "float32", "shape": [2], "constant": 2})";

TEST(RemoveCalls, AResultThatIsNeededBecomesALeaf) {
  const Program p = program_of(kLeaf, R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [2]}, {"op": "aten::neg", "args": {"self": {"tensor": 2}}, "results": [3]})");
  const auto edits = edits_of(remove_calls, p, {{2, {DType::kFloat32, {2}, {1}, "strided"}}});
  const FoundEdit* edit = find_edit(edits, "without calls 0 to 0");
  ASSERT_TRUE(edit && edit->result);
  EXPECT_EQ(edit->result->calls.size(), 1u);
  ASSERT_TRUE(edit->result->find_leaf(2));
  EXPECT_EQ(edit->result->find_leaf(0), nullptr);          // nothing uses it any more
}

TEST(RemoveCalls, WithoutItsShapeItIsNotOffered) {
  const Program p = program_of(kLeaf, R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [2]}, {"op": "aten::neg", "args": {"self": {"tensor": 2}}, "results": [3]})");
  const auto edits = edits_of(remove_calls, p);
  EXPECT_FALSE(find_edit(edits, "without calls 0 to 0")->result);
  EXPECT_TRUE(find_edit(edits, "without calls 1 to 1")->result);
}

TEST(RemoveCalls, AnInPlaceResultIsItsArgumentAgain) {
  const Program p = program_of(kLeaf, R"({"op": "aten::add_.Tensor", "args": {"self": {"tensor": 0}, "other": {"tensor": 1}}, "results": [2]},
                                         {"op": "aten::neg", "args": {"self": {"tensor": 2}}, "results": [3]})");
  const auto edits = edits_of(remove_calls, p);
  const FoundEdit* edit = find_edit(edits, "without calls 0 to 0");
  ASSERT_TRUE(edit->result);
  EXPECT_EQ(*edit->result->calls[0].find("self"), Value(TensorRef{0}));
}

TEST(RemoveCalls, HalvesComeFirstAndTheWholeProgramIsNeverOffered) {
  std::string calls;
  for (int i = 0; i < 8; ++i) calls += fmt::format(R"({}{{"op": "aten::neg", "args": {{"self": {{"tensor": 0}}}}, "results": [{}]}})", i ? "," : "", i + 2);
  const auto edits = edits_of(remove_calls, program_of(kLeaf, calls));
  EXPECT_EQ(edits.size(), 2u + 4u + 8u);
  EXPECT_EQ(edits[0].text, "without calls 4 to 7");
  for (const FoundEdit& edit : edits) EXPECT_FALSE(edit.result->calls.empty());
}

TEST(RemoveCalls, OneCallIsLeftAlone) { EXPECT_TRUE(edits_of(remove_calls, bad_gather()).empty()); }

}  // namespace
}  // namespace minrepro
