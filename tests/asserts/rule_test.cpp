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
    EXPECT_THAT(std::string(rule.file), AnyOf(EndsWith(".cu"), EndsWith(".cuh"), EndsWith(".h"), EndsWith(".cpp")));
    EXPECT_EQ(rule.file.find('/'), std::string_view::npos);
    EXPECT_GT(rule.line, 0);
    EXPECT_FALSE(rule.function.empty());
    EXPECT_FALSE(rule.read_in.empty());
    EXPECT_FALSE(rule.cause.empty());
    EXPECT_FALSE(rule.mend.empty());
    const bool asserts = rule.on_cuda == OnCuda::kAsserts;
    EXPECT_TRUE(rule.expression.empty() || asserts);
    EXPECT_TRUE(!rule.expression.empty() || !asserts || rule.file == "TensorCompare.cu");   // where messages are printed, or none
    EXPECT_TRUE(asserts || rule.also_prints.empty());
    EXPECT_TRUE(!rule.same_on_cpu || rule.on_cuda == OnCuda::kSilent);
  }
}

TEST(RuleTable, DomainsHaveTheBoundsTheyNeed) {
  for (const AssertRule& rule : rule_table()) {
    SCOPED_TRACE(rule.id);
    const bool bounded = rule.domain == Domain::kIndex || rule.domain == Domain::kCount || rule.domain == Domain::kSum ||
                         rule.domain == Domain::kSumAtMost || rule.domain == Domain::kCompressed || rule.domain == Domain::kElements ||
                         rule.domain == Domain::kCoordinates || rule.domain == Domain::kEachCoordinate;
    const bool may_be_bounded = bounded || rule.domain == Domain::kNonDecreasing;
    EXPECT_TRUE(rule.bound != BoundKind::kNone || !bounded);
    EXPECT_TRUE(rule.bound == BoundKind::kNone || may_be_bounded);
    EXPECT_EQ(rule.bound_argument.empty(), rule.bound == BoundKind::kNone);
    EXPECT_TRUE(rule.dim_argument.empty() || rule.bound == BoundKind::kSizeAt || rule.bound == BoundKind::kListAt || rule.domain == Domain::kSum);
    EXPECT_TRUE(rule.bound != BoundKind::kProduct || rule.dim > 0);
    EXPECT_EQ(rule.alignment > 0, rule.domain == Domain::kAligned);
    EXPECT_TRUE(rule.cut_when.empty() || rule.cut != Cut::kNone);
    const bool index = rule.domain == Domain::kIndex;
    EXPECT_TRUE(index || (rule.cut == Cut::kNone && !rule.inclusive && !rule.excludes_zero && rule.lowest == 0));
    EXPECT_TRUE(index || rule.domain == Domain::kEachCoordinate || !rule.wraps_negative);
    EXPECT_TRUE(index || rule.domain == Domain::kNonDecreasing || rule.parts == nullptr);
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
  EXPECT_THAT(rules_for("aten::relu"), IsEmpty());
  EXPECT_THAT(rules_for("my_ops::gather"), IsEmpty());
}

TEST(RulesFor, EmbeddingIsIndexSelect) {
  ASSERT_THAT(rules_for("aten::embedding"), SizeIs(1));
  EXPECT_THAT(rules_for("aten::index_select"), Contains(rules_for("aten::embedding").front()));
}

TEST(RulesFor, LeavesOutOverloadsThatCheckNothing) {
  EXPECT_THAT(rules_for("aten::bernoulli.p"), IsEmpty());           // `self` gives no more than its shape
  EXPECT_THAT(rules_for("aten::bernoulli_.float"), IsEmpty());
  EXPECT_THAT(rules_for("aten::bernoulli_.Tensor"), SizeIs(1));
  EXPECT_THAT(rules_for("aten::bernoulli"), SizeIs(1));
  EXPECT_THAT(rules_for("aten::index_select.dimname"), IsEmpty());
  EXPECT_THAT(rules_for("aten::index_fill_.Dimname_Scalar"), IsEmpty());
  EXPECT_THAT(rules_for("aten::repeat_interleave.Tensor"), SizeIs(2));
}

TEST(FindRuleByText, FindsEveryTextOfEveryRule) {
  for (const AssertRule& rule : rule_table()) {
    if (rule.on_cuda != OnCuda::kAsserts) continue;
    SCOPED_TRACE(rule.id);
    // What two rules print alike is given to the first that does not say that the other one is the usual one.
    const auto first_to_print = [&](std::string_view file, std::string_view expression) -> const AssertRule* {
      for (const AssertRule& other : rule_table())
        if (other.message_argument.empty() && prints(other, file, expression) &&
            std::none_of(other.also_prints.begin(), other.also_prints.end(), [&](const Printed& p) { return p.expression == expression && p.seldom; }))
          return &other;
      return nullptr;
    };
    EXPECT_TRUE(prints(rule, rule.file, rule.expression));
    if (rule.message_argument.empty()) {
      EXPECT_EQ(find_rule_by_text(rule.file, rule.expression), first_to_print(rule.file, rule.expression));
    }
    for (const Printed& other : rule.also_prints) {
      EXPECT_TRUE(prints(rule, other.file, other.expression)) << other.expression;
      EXPECT_EQ(find_rule_by_text(other.file, other.expression), first_to_print(other.file, other.expression)) << other.expression;
    }
  }
}

TEST(FindRuleByText, GivesATextThatSeveralPrintToTheUsualOne) {
  const auto id = [](const char* file, const char* expression) {
    const AssertRule* rule = find_rule_by_text(file, expression);
    return rule ? std::string(rule->id) : "none";
  };
  EXPECT_EQ(id("ScatterGatherKernel.cu", "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""), "scatter_gather.index");
  EXPECT_EQ(id("ScatterGatherKernel.cu", "idx_dim >= 0 && idx_dim < index_size && \"scatter gather kernel index out of bounds\""), "scatter_gather.index");
  EXPECT_EQ(id("IndexKernel.cu", "idx >= -self_dim_size && idx < self_dim_size && \"index out of bounds\""), "index_fill.index");
  EXPECT_EQ(id("EmbeddingBag.cu", "end >= begin"), "embedding_bag.offsets");
  EXPECT_EQ(id("TensorCompare.cu", ""), "index_put_accumulate.indices");
  EXPECT_EQ(id("TensorCompare.cu", "any message of a user's"), "assert_async.self");
  EXPECT_EQ(id("FractionalMaxPool3d.cu", "index >= 0"), "fractional_max_pool3d_backward.indices");
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
