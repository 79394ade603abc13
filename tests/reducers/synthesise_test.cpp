#include "reducers/synthesise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/asserts/evaluate.h"
#include "reducers/program_call_view.h"
#include "tests/support/pass_test.h"

namespace minrepro {
namespace {

TEST(Synthesise, MakesAnIndexThatIsOutOfBounds) {
  Program p = bad_gather();
  p.leaves[1].fill = ConstantFill{0};
  const OpCatalog catalog = test_catalog();
  const std::map<int, TensorMeta> metas;
  const PassContext context{catalog, metas};
  ASSERT_TRUE(offending_elements(p, context).empty());
  const AssertRule* rule = rules_for("aten::gather").front();
  const auto made = with_violation(p, *rule, context);
  ASSERT_TRUE(made);
  EXPECT_THAT(integers_of(made->leaves[1]), testing::ElementsAre(5, 0, 0, 0, 0, 0));
  EXPECT_EQ(offending_elements(*made, context).size(), 1u);
}

TEST(Synthesise, MakesWeightsThatMultinomialRefuses) {
  const OpCatalog catalog = test_catalog();
  const std::map<int, TensorMeta> metas;
  const PassContext context{catalog, metas};
  int rules = 0;
  for (const AssertRule* rule : rules_for("aten::multinomial")) {
    const std::string replacement = rule->id.starts_with("multinomial.replacement") ? "true" : "false";
    const Program p = program_of(R"({"id": 0, "dtype": "float16", "shape": [2, 4], "random": 1})",
                                 R"({"op": "aten::multinomial", "args": {"self": {"tensor": 0}, "num_samples": 2, "replacement": )" + replacement + R"(}, "results": [1]})");
    const auto made = with_violation(p, *rule, context);
    ASSERT_TRUE(made);
    const auto violation = check("aten::multinomial", ProgramCallView(*made, made->calls[0], context));
    ASSERT_TRUE(violation) << rule->id;
    EXPECT_EQ(violation->rule->id, rule->id);
    ++rules;
  }
  EXPECT_EQ(rules, 4);
}

TEST(Synthesise, NeedsALeafWithElements) {
  Program p = bad_gather();
  p.leaves[1].meta.sizes = {2, 0};
  p.leaves[1].fill = ConstantFill{0};
  const OpCatalog catalog = test_catalog();
  const std::map<int, TensorMeta> metas;
  EXPECT_EQ(with_violation(p, *rules_for("aten::gather").front(), {catalog, metas}), std::nullopt);
  EXPECT_EQ(with_violation(p, *rules_for("aten::multinomial").front(), {catalog, metas}), std::nullopt);
}

}  // namespace
}  // namespace minrepro
