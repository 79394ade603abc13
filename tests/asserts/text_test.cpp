#include <gmock/gmock.h>

#include <limits>

#include "harness/asserts/describe.h"
#include "harness/base/grouped.h"
#include "tests/asserts/call.h"

namespace minrepro {
namespace {

using minrepro::testing::FakeCall;
using minrepro::testing::floats;
using minrepro::testing::int64s;
using minrepro::testing::integers;
using minrepro::testing::reals;
using minrepro::testing::sizes;

const double kNan = std::numeric_limits<double>::quiet_NaN();

std::string text_of(std::string_view op, const CallView& call) {
  const auto violation = check(op, call);
  return violation ? violation->text : "nothing";
}

TEST(Text, OneLabel) {
  const auto call = FakeCall().tensor("self", sizes({4, 10})).tensor("target", int64s({0, 1, 2, 10})).integer("ignore_index", -100);
  EXPECT_EQ(text_of("aten::nll_loss_forward", call), "target holds 10 at [3]; self has 10 classes, so 0 … 9 are allowed (or ignore_index -100)");
}

TEST(Text, ManyIndices) {
  std::vector<int64_t> values(131072, 0);
  for (std::size_t i = 0; i < 98312; ++i) values[i] = 2 + static_cast<int64_t>(i) % 12;
  const auto call = FakeCall().tensor("self", sizes({131072, 2})).tensor("index", integers(DType::kInt64, values, {131072, 1})).integer("dim", 1);
  EXPECT_EQ(text_of("aten::scatter_.value", call),
            "index holds 2 … 13 (98,312 of 131,072 elements); dimension 1 of self has size 2, so 0 … 1 are allowed");
}

TEST(Text, OneRealAmongMany) {
  std::vector<double> values(200, 0.5);
  values[107] = kNan;
  const auto call = FakeCall().tensor("self", reals(DType::kFloat32, values, {2, 100})).integer("num_samples", 1);
  EXPECT_EQ(text_of("aten::multinomial", call), "self holds nan at [1, 7] (1 of 200 elements); finite weights >= 0 are allowed");
}

TEST(Text, RealsOfSeveralKinds) {
  EXPECT_EQ(text_of("aten::binary_cross_entropy", FakeCall().tensor("self", floats({kNan, 1.5, -0.25}))),
            "self holds -0.25 … 1.5 (3 of 3 elements); probabilities in [0, 1] are allowed");
  EXPECT_EQ(text_of("aten::poisson", FakeCall().tensor("self", floats({kNan, kNan}))),
            "self holds nan at [0] (2 of 2 elements); numbers >= 0 are allowed");
  EXPECT_EQ(text_of("aten::bernoulli", FakeCall().tensor("self", floats({1.01}))),
            "self holds 1.01 at [0] (1 of 1 elements); probabilities in [0, 1] are allowed");
}

TEST(Text, TheSameValueTwice) {
  const auto call = FakeCall().tensor("weight", sizes({5, 2})).tensor("indices", int64s({7, 1, 7}));
  EXPECT_EQ(text_of("aten::embedding", call), "indices holds 7 (2 of 3 elements); dimension 0 of weight has size 5, so 0 … 4 are allowed");
}

TEST(Text, ListsAndNegativeOnes) {
  const auto call = FakeCall().tensor("self", sizes({2, 24})).list("indices", {std::nullopt, int64s({-24, 24})});
  EXPECT_EQ(text_of("aten::index.Tensor", call), "indices[1] holds 24 at [1]; dimension 1 of self has size 24, so -24 … 23 are allowed");
}

TEST(Text, BoundsOfEveryKind) {
  EXPECT_EQ(text_of("aten::take", FakeCall().tensor("self", sizes({40, 50})).tensor("index", integers(DType::kInt64, {2000}, {}))),
            "index holds 2000; self has 2,000 elements, so -2000 … 1999 are allowed");
  EXPECT_EQ(text_of("aten::one_hot", FakeCall().tensor("self", int64s({5})).integer("num_classes", 5)),
            "self holds 5 at [0]; num_classes is 5, so 0 … 4 are allowed");
  EXPECT_EQ(text_of("aten::one_hot", FakeCall().tensor("self", int64s({-1, 0})).integer("num_classes", -1)),
            "self holds -1 at [0]; num_classes is not given, so numbers >= 0 are allowed");
  EXPECT_EQ(text_of("aten::gather", FakeCall().tensor("self", sizes({1})).tensor("index", int64s({1})).integer("dim", 0)),
            "index holds 1 at [0]; dimension 0 of self has size 1, so only 0 is allowed");
  EXPECT_EQ(text_of("aten::embedding", FakeCall().tensor("weight", sizes({0, 2})).tensor("indices", int64s({0}))),
            "indices holds 0 at [0]; dimension 0 of weight has size 0, so nothing is allowed");
  EXPECT_EQ(text_of("aten::max_unpool2d", FakeCall().tensor("indices", int64s({900})).integers("output_size", {4, 4})),
            "indices holds 900 at [0]; an output of output_size has 16 elements, so 0 … 15 are allowed");
}

TEST(Text, RowsAndTotals) {
  EXPECT_EQ(text_of("aten::multinomial", FakeCall().tensor("self", reals(DType::kFloat32, {1, 0, 0, 0}, {2, 2})).integer("num_samples", 1)),
            "self holds nothing but 0 in the row at [1, 0] (1 of 2 rows); each row needs a weight > 0");
  EXPECT_EQ(text_of("aten::multinomial", FakeCall().tensor("self", floats({0, 0})).integer("num_samples", 1)),
            "self holds nothing but 0; a weight > 0 is needed");
  const auto masked = FakeCall().tensor("self", sizes({2, 1500})).tensor("mask", integers(DType::kBool, {1, 1}, {2, 1})).tensor("source", sizes({7}));
  EXPECT_EQ(text_of("aten::masked_scatter", masked), "mask selects 3,000 elements; source has only 7");
  EXPECT_EQ(text_of("aten::repeat_interleave.Tensor", FakeCall().tensor("repeats", int64s({1, 1})).integer("output_size", 5)),
            "repeats adds up to 2; output_size is 5");
}

TEST(Words, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(-100), "-100");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(asserts::real_text(DType::kFloat32, static_cast<double>(1.01f)), "1.01");
  EXPECT_EQ(asserts::real_text(DType::kFloat64, 1.0000000000000002), "1.0000000000000002");
  EXPECT_EQ(asserts::real_text(DType::kFloat16, 1.0009765625), "1.001");
  EXPECT_EQ(asserts::real_text(DType::kFloat32, -kNan), "nan");
}

TEST(Text, NumbersThatHaveToFitTogether) {
  const auto bag = [](const std::vector<int64_t>& offsets) {
    return FakeCall().tensor("weight", sizes({5, 3})).tensor("indices", sizes({4}, DType::kInt64)).tensor("offsets", int64s(offsets));
  };
  const auto text = [](std::string_view rule, const CallView& call) {
    const auto violation = check(*find_rule(rule), call);
    return violation ? violation->text : "nothing";
  };
  EXPECT_EQ(text("embedding_bag.offsets", bag({0, 3, 1})), "offsets holds 1 after 3 at [2]; it must not decrease");
  EXPECT_EQ(text("embedding_bag.offsets", bag({0, -2})), "offsets holds -2 at [1]; 0 comes before it, and it must not decrease");
  EXPECT_EQ(text("embedding_bag.offsets", bag({0, 2, 9})), "offsets ends at 9 at [2]; indices has only 4 elements");
  const auto compressed = [](const std::vector<int64_t>& values) {
    return FakeCall().tensor("compressed_idx", int64s(values)).tensor("plain_idx", int64s({0, 1, 2})).integer("dim", 3).integer("nnz", 3);
  };
  EXPECT_EQ(text("validate_compressed.compressed_idx", compressed({1, 3})), "compressed_idx starts with 1 at [0]; 0 is needed");
  EXPECT_EQ(text("validate_compressed.compressed_idx", compressed({0, 2})), "compressed_idx ends with 2 at [1]; nnz is 3");
  EXPECT_EQ(text("validate_compressed.compressed_idx", compressed({0, 2, 1, 3})), "compressed_idx goes from 2 to 1 at [2]; steps of 0 … 3 are allowed");
  EXPECT_EQ(text("lu_unpack.pivots", FakeCall().tensor("LU_data", sizes({3, 3})).tensor("LU_pivots", integers(DType::kInt32, {0, 2, 3}, {3})).integer("unpack_pivots", 1)),
            "LU_pivots holds 0 at [0]; dimension 0 of LU_data has size 3, so 1 … 3 are allowed");
  EXPECT_EQ(text("assert_async.self", FakeCall().tensor("self", integers(DType::kBool, {0}, {}))), "self holds False; True is needed");
  EXPECT_EQ(text("rrelu_with_noise.noise", FakeCall().tensor("noise", sizes({1})).tensor("self", sizes({2, 2})).integer("training", 1)),
            "noise has 1 element; 4 are needed");
  EXPECT_EQ(text("multilabel_margin_loss.target", FakeCall().tensor("self", sizes({3})).tensor("target", int64s({4, -1, 0}))),
            "target holds 4 at [0]; self has 3 classes, so numbers up to 2 are allowed");
}

}  // namespace
}  // namespace minrepro
