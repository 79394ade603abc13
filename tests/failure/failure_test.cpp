#include "harness/failure/failure.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/asserts/rule.h"

namespace minrepro {
namespace {

Outcome full_outcome() {
  Outcome outcome;
  outcome.kind = FailureKind::kDeviceAssert;
  outcome.call = 3;
  outcome.symptom_call = 7;
  outcome.op = "aten::gather.out";
  outcome.rule = "a.rule";
  outcome.file = "X.cu";
  outcome.expression = "a < b";
  outcome.message = "a is 3";
  outcome.exception_type = "c10::AcceleratorError";
  outcome.seconds = 0.25;
  return outcome;
}

TEST(FailureKind, NamesGoBothWays) {
  for (int i = 0; i <= static_cast<int>(FailureKind::kInvalid); ++i) {
    const auto kind = static_cast<FailureKind>(i);
    EXPECT_EQ(failure_kind_of_name(name_of(kind)), kind);
  }
  EXPECT_EQ(failure_kind_of_name("assert"), std::nullopt);
}

TEST(Outcome, JsonGoesBothWays) {
  const Outcome outcome = full_outcome();
  auto read = outcome_from_json(to_json(outcome));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(outcome));
}

TEST(Outcome, BadJsonIsAnError) {
  EXPECT_FALSE(outcome_from_json(nlohmann::json::array()));
  EXPECT_FALSE(outcome_from_json({{"kind", "nonsense"}}));
  EXPECT_FALSE(outcome_from_json({{"kind", 3}}));
  auto wrong = outcome_from_json({{"kind", "hang"}, {"call", "x"}});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("call"), std::string::npos);
}

TEST(Signature, JsonGoesBothWays) {
  const Signature signature = {FailureKind::kException, "aten::gather", "index N"};
  auto read = signature_from_json(to_json(signature));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, signature);
  EXPECT_EQ(to_json(signature)["text"], "exception in aten::gather (index N)");
  EXPECT_FALSE(signature_from_json("text"));
}

TEST(Signature, EveryRuleIsItsOwnFailure) {
  for (const AssertRule& rule : rule_table()) {
    for (std::string_view op : rule.ops) {
      Outcome outcome;
      outcome.kind = FailureKind::kDeviceAssert;
      outcome.rule = rule.id;
      outcome.op = op;
      const Signature signature = signature_of(outcome);
      EXPECT_EQ(signature.detail, rule.id);
      EXPECT_EQ(signature.op, op);
      EXPECT_NE(to_text(signature).find(rule.expression), std::string::npos);
    }
  }
}

TEST(Signature, CompositeCallOnCudaNamesTheKernelsOperator) {
  const AssertRule& rule = rule_table().front();
  Outcome outcome;
  outcome.kind = FailureKind::kDeviceAssert;
  outcome.file = rule.file;
  outcome.expression = rule.expression;
  outcome.op = "aten::some_composite";
  const AssertRule* found = find_rule_by_text(rule.file, rule.expression);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(signature_of(outcome).op, found->ops.front());
  EXPECT_EQ(signature_of(outcome).detail, found->id);
}

TEST(Signature, UnknownAssertNamesFileAndExpression) {
  Outcome outcome;
  outcome.kind = FailureKind::kDeviceAssert;
  outcome.file = "rows.cu";
  outcome.expression = "row < rows";
  outcome.op = "my_ops::gather_rows.out";
  const Signature signature = signature_of(outcome);
  EXPECT_EQ(signature, (Signature{FailureKind::kDeviceAssert, "my_ops::gather_rows", "rows.cu: row < rows"}));
  EXPECT_EQ(to_text(signature), "device assert in my_ops::gather_rows (rows.cu: `row < rows`)");
}

TEST(Signature, OverloadsAndSizesAreNoPartOfIt) {
  Outcome one;
  one.kind = FailureKind::kException;
  one.op = "aten::gather";
  one.message = "index 5 is out of bounds for dimension 1 with size 5";
  Outcome other = one;
  other.op = "aten::gather.out";
  other.message = "index 500 is out of bounds for dimension 0 with size 500";
  EXPECT_EQ(signature_of(one), signature_of(other));
  other.kind = FailureKind::kSignal;
  EXPECT_NE(signature_of(one), signature_of(other));
}

TEST(Signature, SignalsAndHangsKeepTheirOperator) {
  Outcome outcome;
  outcome.kind = FailureKind::kSignal;
  outcome.op = "aten::div.Tensor_mode";
  outcome.message = "SIGFPE";
  EXPECT_EQ(signature_of(outcome), (Signature{FailureKind::kSignal, "aten::div", "SIGFPE"}));
  outcome.kind = FailureKind::kHang;
  EXPECT_EQ(signature_of(outcome), (Signature{FailureKind::kHang, "aten::div", ""}));
}

TEST(IsAboutNan, ReadsTheViolationsText) {
  const auto about = [](FailureKind kind, const char* text) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.message = text;
    return is_about_nan(outcome);
  };
  EXPECT_TRUE(about(FailureKind::kDeviceAssert, "self holds nan at [1, 0] (100 of 200 elements); finite weights >= 0 are allowed"));
  EXPECT_TRUE(about(FailureKind::kDeviceAssert, "nan"));
  EXPECT_FALSE(about(FailureKind::kDeviceAssert, "self holds nothing but 0; a weight > 0 is needed"));
  EXPECT_FALSE(about(FailureKind::kDeviceAssert, "nanmean holds 7; banana_nan_x"));
  EXPECT_FALSE(about(FailureKind::kException, "nan"));
}

}  // namespace
}  // namespace minrepro
