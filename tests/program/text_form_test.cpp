#include "harness/program/text_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace minrepro {
namespace {

Fill values_of(DType dtype, const std::vector<double>& values) {
  auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * static_cast<std::size_t>(size_of(dtype)));
  for (std::size_t i = 0; i < values.size(); ++i) write_real(dtype, values[i], bytes->data() + i * static_cast<std::size_t>(size_of(dtype)));
  return ValuesFill{bytes};
}

/// One of everything that a program can hold.
Program everything() {
  Program p;
  p.device = "cpu";
  p.torch_version = "2.11.0";
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  p.leaves = {
      {0, {DType::kInt64, {2, 2}, {2, 1}, "strided"}, {}, values_of(DType::kInt64, {0, 1, -7, 9007199254740992.0}), {}, {}, false},
      {1, {DType::kFloat16, {3}, {1}, "strided"}, "cpu", values_of(DType::kFloat16, {0.5, inf, -inf}), {}, {}, true},
      {2, {DType::kFloat32, {8}, {1}, "strided"}, {}, RandomFill{UINT64_MAX}, {}, {}, false},
      {3, {DType::kFloat32, {2, 2}, {1, 2}, "strided"}, {}, ConstantFill{}, ViewOf{2, 3}, {}, false},
      {4, {DType::kBool, {}, {}, "strided"}, {}, values_of(DType::kBool, {1}), {}, {}, false},
      {5, {DType::kFloat64, {2}, {0}, "strided"}, {}, ConstantFill{nan}, {}, {}, false},
      {6, {DType::kFloat32, {2, 2}, {}, "sparse_csr"}, {}, ConstantFill{}, {}, {0, 0, 2}, false},
      {7, {DType::kComplex64, {1}, {1}, "strided"}, {}, values_of(DType::kComplex64, {1.5}), {}, {}, false},
  };
  Value::List nested{Value::List{int64_t{1}, None{}}, TensorRef{0}};
  p.calls = {{"my::op.overload",
              {{"tensor", TensorRef{0}}, {"none", None{}}, {"int", INT64_MIN}, {"float", 1.0}, {"tiny", 5e-324}, {"nan_free", inf}, {"complex", std::complex<double>(1, -2)},
               {"bool", true}, {"str", std::string("a\"\n\xc3\xa9")}, {"device", DeviceValue{"cuda:1"}}, {"dtype", DTypeValue{DType::kBFloat16}},
               {"layout", LayoutValue{"sparse"}}, {"format", MemoryFormatValue{"channels_last"}}, {"generator", GeneratorValue{7}}, {"opaque", OpaqueValue{"X"}},
               {"list", nested}},
              {8, -1, 9}, 42, SourceLine{"train.py", 37, "one_hot", "x.scatter_()"}},
             {"aten::neg", {{"self", TensorRef{8}}}, {10}, {}, {}}};
  return p;
}

TEST(TextForm, ReadsBackWhatItWrote) {
  const Program p = everything();
  const std::string text = to_text(p);
  const auto again = program_from_text(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_text(*again), text);
  EXPECT_EQ(again->calls, p.calls);
  ASSERT_EQ(again->leaves.size(), p.leaves.size());
  for (std::size_t i = 0; i < p.leaves.size(); ++i)
    if (i != 5) {                                                              // leaf 5 is NaN, which equals nothing
      EXPECT_EQ(again->leaves[i], p.leaves[i]) << i;
    }
  EXPECT_TRUE(std::isnan(std::get<ConstantFill>(again->leaves[5].fill).value));
}

TEST(TextForm, TheJsonFormMeansTheSame) {
  const auto again = program_from_json(to_json(everything()));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->leaves[0], everything().leaves[0]);
  EXPECT_EQ(*again->calls[0].find("complex"), *everything().calls[0].find("complex"));
}

TEST(TextForm, ManyValuesAreWrittenAsBase64) {
  Program p;
  p.leaves = {{0, {DType::kInt64, {5000}, {1}, "strided"}, {}, values_of(DType::kInt64, std::vector<double>(5000, 3)), {}, {}, false}};
  p.calls = {{"aten::neg", {{"self", TensorRef{0}}}, {1}, {}, {}}};
  const std::string text = to_text(p);
  EXPECT_THAT(text, testing::HasSubstr("base64"));
  const auto again = program_from_text(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, p);
}

struct Mistake {
  const char* text;
  const char* complaint;
};

TEST(TextForm, SaysWhichPlaceIsWrong) {
  const Mistake mistakes[] = {
      {"", "JSON:"},
      {"{", "JSON:"},
      {"[]", "minrepro_program"},
      {R"({"minrepro_program": 2})", "version 1"},
      {R"({"minrepro_program": 1, "device": 3})", "program.device"},
      {R"({"minrepro_program": 1, "device": "tpu"})", "none of sim, cpu, cuda"},
      {R"({"minrepro_program": 1, "leaves": {}})", "leaves: is not an array"},
      {R"({"minrepro_program": 1, "leaves": [3]})", "leaves[0]"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0}]})", "needs 'id', 'dtype' and 'shape'"},
      {R"({"minrepro_program": 1, "leaves": [{"id": -1, "dtype": "int64", "shape": [], "constant": 0}]})", "leaves[0].id"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "int65", "shape": [], "constant": 0}]})", "leaves[0].dtype"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "int64", "shape": [1.5], "constant": 0}]})", "leaves[0].shape"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "int64", "shape": [1]}]})", "has none of 'values'"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "int64", "shape": [1], "values": ["x"]}]})", "leaves[0].values[0]"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "int64", "shape": [1], "values": [18446744073709551615]}]})", "64-bit integer"},
      {R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "int64", "shape": [1], "values": {"base64": "!"}}]})", "base64"},
      {R"({"minrepro_program": 1, "calls": [{"args": {}}]})", "calls[0]: needs 'op'"},
      {R"({"minrepro_program": 1, "calls": [{"op": "f", "args": {"x": {"tensor": "a"}}}]})", "calls[0].args.x.tensor"},
      {R"({"minrepro_program": 1, "calls": [{"op": "f", "args": {"x": {"what": 1}}}]})", "calls[0].args.x"},
      {R"({"minrepro_program": 1, "calls": [{"op": "f", "args": {"x": [[[[[[1]]]]]]}}]})", "nested too deeply"},
      {R"({"minrepro_program": 1, "calls": [{"op": "f", "results": [-2]}]})", "calls[0].results"},
      {R"({"minrepro_program": 1, "calls": [{"op": "f", "seed": -2}]})", "calls[0].seed"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto p = program_from_text(mistake.text);
    ASSERT_FALSE(p.ok()) << mistake.text;
    EXPECT_THAT(p.error().message, testing::HasSubstr(mistake.complaint)) << mistake.text;
    EXPECT_THAT(p.error().message, testing::Not(testing::HasSubstr("\n"))) << mistake.text;
  }
}

TEST(TextForm, DeepNestingIsRefusedBeforeItIsParsed) {
  EXPECT_FALSE(program_from_text(std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(program_from_text(std::string(1'000'000, '{')).ok());
}

}  // namespace
}  // namespace minrepro
