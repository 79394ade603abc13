#include "harness/program/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minrepro {
namespace {

TEST(Schema, ReadsArgumentsWithDefaultsAndKeywords) {
  const auto s = parse_schema("aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->name, "aten::add.out");
  ASSERT_EQ(s->arguments.size(), 4u);
  EXPECT_FALSE(s->arguments[1].keyword_only);
  EXPECT_TRUE(s->arguments[2].keyword_only);
  EXPECT_EQ(s->arguments[2].default_value, Value(int64_t{1}));
  EXPECT_EQ(s->arguments[3].type, "Tensor");
  EXPECT_TRUE(s->arguments[3].mutated);
  EXPECT_EQ(s->arguments[3].alias, "a");
  ASSERT_EQ(s->returns.size(), 1u);
  EXPECT_EQ(s->returns[0].alias, "a");
}

TEST(Schema, AliasesInsideListsAndSetsAreNoPartOfTheType) {
  const auto split = parse_schema("aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]");
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->arguments[0].type, "Tensor");
  EXPECT_FALSE(split->arguments[0].mutated);
  EXPECT_EQ(split->returns[0].type, "Tensor[]");
  const auto each = parse_schema("aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()");
  ASSERT_TRUE(each.ok());
  EXPECT_EQ(each->arguments[0].type, "Tensor[]");
  EXPECT_TRUE(each->arguments[0].mutated);
  EXPECT_TRUE(each->returns.empty());
}

TEST(Schema, DefaultsHaveTheKindThatTheTypeAsksFor) {
  const auto s = parse_schema(
      R"(my::op(float p=1, ScalarType? dtype=4, MemoryFormat f=2, Layout? l=None, int[2] s=[1, 2], str mode="a\"b", float[] w=[1, 2.5], bool b=True, float e=1e-05, int big=-9223372036854775808) -> ())");
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->find("p")->default_value, Value(1.0));
  EXPECT_EQ(s->find("dtype")->default_value, Value(DTypeValue{DType::kInt64}));
  EXPECT_EQ(s->find("f")->default_value, Value(MemoryFormatValue{"channels_last"}));
  EXPECT_EQ(s->find("l")->default_value, Value(None{}));
  EXPECT_EQ(s->find("s")->default_value, Value(Value::List{int64_t{1}, int64_t{2}}));
  EXPECT_EQ(s->find("mode")->default_value, Value(std::string("a\"b")));
  EXPECT_EQ(s->find("w")->default_value, Value(Value::List{1.0, 2.5}));
  EXPECT_EQ(s->find("b")->default_value, Value(true));
  EXPECT_EQ(s->find("e")->default_value, Value(1e-5));
  EXPECT_EQ(s->find("big")->default_value, Value(INT64_MIN));
  EXPECT_EQ(s->find("missing"), nullptr);
}

TEST(Schema, OddTypesOfTorchScriptAreKeptAsTheyAre) {
  const auto s = parse_schema("aten::f(Dict(str, Tensor) d, __torch__.torch.classes.x.Y c, (int, float) t, Tensor?[] i) -> (Tensor values, Tensor indices)");
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->arguments[0].type, "Dict(str, Tensor)");
  EXPECT_EQ(s->arguments[1].type, "__torch__.torch.classes.x.Y");
  EXPECT_EQ(s->arguments[2].type, "(int, float)");
  EXPECT_EQ(s->arguments[3].type, "Tensor?[]");
  EXPECT_EQ(s->returns[1].name, "indices");
}

TEST(Schema, SaysWhereItStopsToMakeSense) {
  for (const char* text : {"", "aten::f", "aten::f(", "aten::f(Tensor", "aten::f(Tensor a", "aten::f(Tensor a=)", "aten::f(Tensor a) ->", "f(Tensor[ a) -> ()",
                           "f(str s=\"x) -> ()", "f(int[] s=[1, [2]]) -> ()", "f(Tensor(a!] x) -> ()"}) {
    const auto s = parse_schema(text);
    if (s.ok()) continue;
    EXPECT_THAT(s.error().message, testing::HasSubstr("expected")) << text;
  }
  EXPECT_FALSE(parse_schema("aten::f(Tensor a").ok());
  EXPECT_FALSE(parse_schema("f(int[] s=[1, [2]]) -> ()").ok());
}

TEST(Catalog, ReadsWhatTheWorkerDescribes) {
  const auto catalog = OpCatalog::parse(R"({"torch": "2.11.0", "ops": [{"schema": "aten::neg(Tensor self) -> Tensor", "function": true, "method": true}]})");
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog->torch_version(), "2.11.0");
  ASSERT_NE(catalog->find("aten::neg"), nullptr);
  EXPECT_TRUE(catalog->find("aten::neg")->has_method);
  EXPECT_EQ(catalog->find("aten::neg.out"), nullptr);
}

TEST(Catalog, RefusesOtherText) {
  for (const char* text : {"", "[]", "{}", R"({"ops": 3})", R"({"ops": [{}]})", R"({"ops": [{"schema": "aten::neg("}]})"}) EXPECT_FALSE(OpCatalog::parse(text).ok()) << text;
}

TEST(Catalog, OverloadsFollowADot) {
  EXPECT_EQ(without_overload("aten::scatter_.value"), "aten::scatter_");
  EXPECT_EQ(without_overload("my.lib::op.out"), "my.lib::op");
  EXPECT_EQ(without_overload("aten::neg"), "aten::neg");
}

}  // namespace
}  // namespace minrepro
