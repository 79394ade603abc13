#include "harness/asserts/rule.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace minrepro {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(RuleTable, IdsAreUniqueAndNamed) {
  std::set<std::string_view> ids;
  for (const AssertRule& rule : rule_table()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(std::count(rule.id.begin(), rule.id.end(), '.'), 1) << rule.id;
    EXPECT_EQ(find_rule(rule.id), &rule);
  }
  EXPECT_EQ(find_rule("nothing.of_the_kind"), nullptr);
}

TEST(RuleTable, SaysWhatWhereAndWhy) {
  for (const AssertRule& rule : rule_table()) {
    SCOPED_TRACE(rule.id);
    EXPECT_THAT(rule.ops, Not(IsEmpty()));
    EXPECT_FALSE(rule.argument.empty());
    EXPECT_THAT(std::string(rule.file), AnyOf(EndsWith(".cu"), EndsWith(".cuh"), EndsWith(".h")));
    EXPECT_EQ(rule.file.find('/'), std::string_view::npos);
    EXPECT_GT(rule.line, 0);
    EXPECT_FALSE(rule.function.empty());
    EXPECT_FALSE(rule.read_in.empty());
    EXPECT_FALSE(rule.cause.empty());
    EXPECT_FALSE(rule.mend.empty());
    EXPECT_EQ(rule.on_cuda == OnCuda::kAsserts, !rule.expression.empty());
    EXPECT_TRUE(rule.on_cuda == OnCuda::kAsserts || rule.other_expressions.empty());
  }
}

TEST(RuleTable, DomainsHaveTheBoundsTheyNeed) {
  for (const AssertRule& rule : rule_table()) {
    SCOPED_TRACE(rule.id);
    const bool bounded = rule.domain == Domain::kIndex || rule.domain == Domain::kCount || rule.domain == Domain::kSum;
    EXPECT_EQ(rule.bound != BoundKind::kNone, bounded);
    EXPECT_EQ(rule.bound_argument.empty(), !bounded);
    EXPECT_TRUE(rule.dim_argument.empty() || rule.bound == BoundKind::kSizeAt);
    EXPECT_TRUE(rule.bound != BoundKind::kProduct || rule.dim > 0);
  }
}

TEST(RuleTable, OpsAreWrittenAsRulesNameThem) {
  for (const AssertRule& rule : rule_table())
    for (std::string_view op : rule.ops) {
      EXPECT_EQ(rule_name_of(op), op);
      EXPECT_THAT(rules_for(op), Contains(&rule)) << rule.id << " " << op;
    }
}

TEST(RuleNameOf, DropsOverloadInPlaceAndOut) {
  EXPECT_EQ(rule_name_of("aten::scatter_.value_out"), "aten::scatter");
  EXPECT_EQ(rule_name_of("aten::scatter.value"), "aten::scatter");
  EXPECT_EQ(rule_name_of("aten::scatter_"), "aten::scatter");
  EXPECT_EQ(rule_name_of("aten::gather.out"), "aten::gather");
  EXPECT_EQ(rule_name_of("aten::gather_out"), "aten::gather");
  EXPECT_EQ(rule_name_of("aten::nll_loss_forward.output"), "aten::nll_loss_forward");
  EXPECT_EQ(rule_name_of("aten::_index_put_impl_"), "aten::_index_put_impl");
  EXPECT_EQ(rule_name_of("aten::__iand__"), "aten::__iand__");
  EXPECT_EQ(rule_name_of("aten::__iand__.Scalar"), "aten::__iand__");
  EXPECT_EQ(rule_name_of("aten::dropout_"), "aten::dropout");
  EXPECT_EQ(rule_name_of("my_ops::gather_rows.v2"), "my_ops::gather_rows");
  EXPECT_EQ(rule_name_of("gather"), "gather");
  EXPECT_EQ(rule_name_of(""), "");
  EXPECT_EQ(rule_name_of("aten::_"), "aten::_");
}

TEST(RulesFor, FindsEveryOverload) {
  for (const char* op : {"aten::scatter.src", "aten::scatter_.value", "aten::scatter.reduce_out", "aten::scatter_add_", "aten::scatter_reduce.two_out",
                         "aten::gather", "aten::gather.out"}) {
    ASSERT_THAT(rules_for(op), SizeIs(1)) << op;
    EXPECT_EQ(rules_for(op)[0]->id, "scatter_gather.index") << op;
  }
  EXPECT_THAT(rules_for("aten::add.Tensor"), IsEmpty());
  EXPECT_THAT(rules_for("my_ops::gather"), IsEmpty());
}

TEST(RulesFor, EmbeddingIsIndexSelect) {
  ASSERT_THAT(rules_for("aten::embedding"), SizeIs(1));
  EXPECT_EQ(rules_for("aten::embedding"), rules_for("aten::index_select"));
}

TEST(RulesFor, LeavesOutOverloadsThatCheckNothing) {
  EXPECT_THAT(rules_for("aten::bernoulli.p"), IsEmpty());           // `self` gives no more than its shape
  EXPECT_THAT(rules_for("aten::bernoulli_.float"), IsEmpty());
  EXPECT_THAT(rules_for("aten::bernoulli_.Tensor"), SizeIs(1));
  EXPECT_THAT(rules_for("aten::bernoulli"), SizeIs(1));
  EXPECT_THAT(rules_for("aten::index_select.dimname"), IsEmpty());
  EXPECT_THAT(rules_for("aten::index_fill_.Dimname_Scalar"), IsEmpty());
  EXPECT_THAT(rules_for("aten::repeat_interleave.Tensor"), SizeIs(2));
  EXPECT_THAT(rules_for("aten::repeat_interleave.self_Tensor"), SizeIs(1));
}

TEST(FindRuleByText, FindsEveryTextOfEveryRule) {
  for (const AssertRule& rule : rule_table()) {
    if (rule.on_cuda != OnCuda::kAsserts) continue;
    SCOPED_TRACE(rule.id);
    // What two rules print alike is given to the first.
    const auto found = [&](std::string_view file, std::string_view expression) { return find_rule_by_text(file, expression); };
    EXPECT_EQ(found(rule.file, rule.expression), rule.id == "one_hot.self" ? find_rule("scatter_gather.index") : &rule);
    for (std::string_view expression : rule.other_expressions) {
      EXPECT_EQ(found(rule.file, expression), &rule) << expression;
      for (std::string_view file : rule.other_files) EXPECT_EQ(found(file, expression), &rule) << file << " " << expression;
    }
  }
}

TEST(FindRuleByText, ToldApartByFile) {
  const std::string_view text = "t >= 0 && t < n_classes";
  ASSERT_NE(find_rule_by_text("Loss.cu", text), nullptr);
  EXPECT_EQ(find_rule_by_text("Loss.cu", text)->id, "nll_loss.target");
  EXPECT_EQ(find_rule_by_text("/pytorch/aten/src/ATen/native/cuda/NLLLoss2d.cu", text)->id, "nll_loss2d.target");
  EXPECT_EQ(find_rule_by_text("C:\\pytorch\\aten\\src\\ATen\\native\\cuda\\Loss.cu", text)->id, "nll_loss.target");
  EXPECT_EQ(find_rule_by_text("my_kernel.cu", text), nullptr);
  EXPECT_EQ(find_rule_by_text("Loss.cu", "i < n"), nullptr);
  EXPECT_EQ(find_rule_by_text("Embedding.cu", ""), nullptr);        // a rule without an assertion prints nothing
}

TEST(FindRuleByText, LayoutsAndReleases) {
  EXPECT_EQ(find_rule_by_text("IndexKernelUtils.cu", "ind >=0 && ind < ind_dim_size && \"vectorized gather kernel index out of bounds\"")->id,
            "index_select.index");
  EXPECT_EQ(find_rule_by_text("IndexKernel.cu", "index >= -sizes[i] && index < sizes[i] && \"index out of bounds\"")->id, "index.indices");
  EXPECT_EQ(find_rule_by_text("THCTensorScatterGather.cu", "indexValue >= 0 && indexValue < tensor.sizes[dim]")->id, "scatter_gather.index");
  EXPECT_EQ(find_rule_by_text("TensorCompare.cu", "probability tensor contains either `inf`, `nan` or element < 0")->id, "multinomial.self");
}

}  // namespace
}  // namespace minrepro
