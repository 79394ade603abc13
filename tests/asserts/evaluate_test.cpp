#include "harness/asserts/evaluate.h"

#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "tests/asserts/call.h"

namespace minrepro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using minrepro::testing::Data;
using minrepro::testing::FakeCall;
using minrepro::testing::floats;
using minrepro::testing::int64s;
using minrepro::testing::integers;
using minrepro::testing::reals;
using minrepro::testing::sizes;

FakeCall gather(Data index, std::vector<int64_t> self, int64_t dim) {
  return FakeCall().tensor("self", sizes(std::move(self))).tensor("index", std::move(index)).integer("dim", dim);
}

class IndexType : public ::testing::TestWithParam<DType> {};

TEST_P(IndexType, IsReadExactly) {
  const auto fine = integers(GetParam(), {0, 4, 3}, {3});
  const auto wrong = integers(GetParam(), {0, 5, 3, 100}, {4});
  const auto bag = [](Data indices) { return FakeCall().tensor("weight", sizes({5, 3})).tensor("indices", std::move(indices)); };
  EXPECT_FALSE(check("aten::embedding_bag", bag(fine)));
  const auto violation = check("aten::embedding_bag", bag(wrong));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->value, "5");
  EXPECT_EQ(violation->highest_offending, "100");
  EXPECT_EQ(violation->offending, 2);
  EXPECT_EQ(violation->total, 4);
  EXPECT_THAT(violation->index, ElementsAre(1));
}

INSTANTIATE_TEST_SUITE_P(Types, IndexType,
                         ::testing::Values(DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kUInt16, DType::kUInt32),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(Check, TypesThatNoKernelTakesAreLeftToTheHost) {
  EXPECT_FALSE(check("aten::gather", gather(floats({9}), {5}, 0)));
  EXPECT_FALSE(check("aten::gather", gather(integers(DType::kBool, {1}, {1}), {1}, 0)));
  EXPECT_FALSE(check("aten::bernoulli", FakeCall().tensor("self", int64s({7}))));
  EXPECT_FALSE(check("aten::binary_cross_entropy", FakeCall().tensor("self", reals(DType::kComplex64, {7}, {1}))));
}

TEST(Check, ByteLabelsHaveNoSignButAnIgnoreIndex) {
  const auto call = [](int64_t ignored) {
    return FakeCall().tensor("self", sizes({2, 3})).tensor("target", integers(DType::kUInt8, {255, 0}, {2})).integer("ignore_index", ignored);
  };
  EXPECT_FALSE(check("aten::nll_loss_forward", call(255)));
  const auto violation = check("aten::nll_loss_forward", call(-1));   // 255 is not -1
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->value, "255");
}

TEST(Check, IgnoreIndexAmongOthers) {
  const auto target = int64s({-100, 1, -100, 7, 2});
  const auto call = FakeCall().tensor("self", sizes({5, 3})).tensor("target", target).integer("ignore_index", -100);
  const auto violation = check("aten::nll_loss_forward", call);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->offending, 1);
  EXPECT_THAT(violation->index, ElementsAre(3));
  EXPECT_EQ(violation->bounds->ignored, -100);
}

TEST(Check, ProbabilitiesAsTargetsAreNoLabels) {
  const auto call = FakeCall().tensor("self", sizes({2, 3})).tensor("target", floats({9, 9, 9, 9, 9, 9})).integer("ignore_index", -100);
  EXPECT_FALSE(check("aten::cross_entropy_loss", call));
}

TEST(Check, LabelsAreMeasuredAtTheClassDimension) {
  const auto map = [](std::vector<int64_t> self, std::vector<int64_t> target, int64_t label) {
    return FakeCall().tensor("self", sizes(std::move(self))).tensor("target", integers(DType::kInt64, {label}, std::move(target)));
  };
  EXPECT_EQ(check("aten::cross_entropy_loss", map({1, 3, 1, 9}, {1, 1, 1}, 5))->rule->id, "nll_loss2d.target");
  EXPECT_EQ(check("aten::cross_entropy_loss", map({1, 3, 9}, {1, 1}, 5))->rule->id, "nll_loss2d.target");
  EXPECT_EQ(check("aten::cross_entropy_loss", map({1, 3}, {1}, 5))->rule->id, "nll_loss.target");
  EXPECT_FALSE(check("aten::cross_entropy_loss", map({1, 9, 1, 3}, {1, 1, 1}, 5)));
}

// What is empty.

TEST(Check, EmptyIndicesViolateNothing) {
  EXPECT_FALSE(check("aten::gather", gather(int64s({}), {0}, 0)));
  EXPECT_FALSE(check("aten::embedding", FakeCall().tensor("weight", sizes({0, 4})).tensor("indices", int64s({}))));
}

TEST(Check, NothingIsInsideASizeOfZero) {
  const auto call = FakeCall().tensor("weight", sizes({0, 4})).tensor("indices", int64s({0}));
  const auto violation = check("aten::embedding", call);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->bounds->bound, 0);
  EXPECT_EQ(valid_value(*violation->rule, violation->bounds), std::nullopt);
}

TEST(Check, NothingIsLaunchedIfTheOtherDimensionsAreEmpty) {
  EXPECT_FALSE(check("aten::embedding", FakeCall().tensor("weight", sizes({5, 0})).tensor("indices", int64s({7}))));
  EXPECT_FALSE(check("aten::index_add_", FakeCall().tensor("self", sizes({5, 0})).tensor("index", int64s({7})).integer("dim", 0)));
  EXPECT_FALSE(check("aten::index.Tensor", FakeCall().tensor("self", sizes({5, 0})).list("indices", {int64s({7})})));
}

TEST(Check, WhatHostCodeRefusesIsNoDeviceAssert) {
  EXPECT_FALSE(check("aten::take", FakeCall().tensor("self", sizes({0})).tensor("index", int64s({0}))));
  EXPECT_FALSE(check("aten::index.Tensor", FakeCall().tensor("self", sizes({0, 3})).list("indices", {int64s({0})})));
  EXPECT_FALSE(check("aten::gather", gather(int64s({9}), {5}, 2)));    // there is no such dimension
  EXPECT_FALSE(check("aten::gather", gather(int64s({9}), {5}, -2)));
  EXPECT_FALSE(check("aten::one_hot", FakeCall().tensor("self", int64s({3})).integer("num_classes", 0)));
}

TEST(Check, TensorsWithoutDataAreNotChecked) {
  EXPECT_FALSE(check("aten::gather", gather(sizes({4}, DType::kInt64), {5}, 0)));
  EXPECT_FALSE(check("aten::gather", FakeCall().integer("dim", 0)));
}

// Where the elements lie.

TEST(Check, ReadsAlongTheStrides) {
  // memory: 2 x 3, read as its transpose; and every other element of a row
  const std::vector<int64_t> memory = {0, 1, 2, 3, 4, 9};
  const auto transposed = check("aten::gather", gather(integers(DType::kInt64, memory, {3, 2}, {1, 3}), {5, 2}, 0));
  ASSERT_TRUE(transposed);
  EXPECT_THAT(transposed->index, ElementsAre(2, 1));
  EXPECT_EQ(transposed->value, "9");
  EXPECT_FALSE(check("aten::gather", gather(integers(DType::kInt64, memory, {3}, {2}), {5}, 0)));   // 0, 2, 4
  EXPECT_TRUE(check("aten::gather", gather(integers(DType::kInt32, memory, {2}, {5}), {5}, 0)));    // 0, 9
}

TEST(Check, RepeatedElementsCountEachTime) {
  const auto expanded = check("aten::gather", gather(integers(DType::kInt64, {3, 9}, {2, 64}, {1, 0}), {5, 64}, 0));
  ASSERT_TRUE(expanded);
  EXPECT_EQ(expanded->offending, 64);
  EXPECT_EQ(expanded->total, 128);
  EXPECT_THAT(expanded->index, ElementsAre(1, 0));
  EXPECT_FALSE(check("aten::gather", gather(integers(DType::kInt64, {3, 4}, {2, 64}, {1, 0}), {5, 64}, 0)));
}

TEST(Check, ScalarTensors) {
  const auto violation = check("aten::gather", gather(integers(DType::kInt64, {1}, {}), {}, 0));
  ASSERT_TRUE(violation);
  EXPECT_THAT(violation->index, IsEmpty());
  EXPECT_FALSE(check("aten::gather", gather(integers(DType::kInt64, {0}, {}), {}, -1)));
}

/// The quick pass against one element after the other, on random shapes, strides and values.
TEST(Check, AgreesWithIsValidOnRandomViews) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  const DType types[] = {DType::kInt64, DType::kInt32, DType::kInt16, DType::kUInt8};
  int violations = 0;
  for (int round = 0; round < 3000; ++round) {
    const int64_t bound = pick(1, 40);
    std::vector<int64_t> shape, strides;
    int64_t reach = 0;
    for (int64_t d = pick(0, 3); d > 0; --d) {
      shape.push_back(pick(1, 5));
      strides.push_back(pick(0, 7));
      reach += (shape.back() - 1) * strides.back();
    }
    std::vector<int64_t> memory;
    for (int64_t i = 0; i <= reach; ++i) memory.push_back(pick(0, 30) == 0 ? pick(0, 60) : pick(0, bound - 1));
    const Data target = integers(types[round % 4], memory, shape, strides);
    const auto call = FakeCall().tensor("indices", target).integer("num_weights", bound).integer("padding_idx", 55);
    const AssertRule* rule = find_rule("embedding_bag_backward.indices");
    const auto bounds = bounds_of(*rule, call);
    ASSERT_TRUE(bounds);

    int64_t offending = 0, total = 0;
    std::optional<int64_t> first;
    std::vector<int64_t> index(shape.size(), 0);
    while (true) {
      int64_t offset = 0;
      for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
      const int64_t value = memory[static_cast<std::size_t>(offset)];
      ++total;
      if (!is_valid(*rule, bounds, value, 0, true)) {
        if (offending++ == 0) first = value;
      }
      std::size_t d = index.size();
      while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
      if (d == 0) break;
    }
    const auto violation = check(*rule, call);
    ASSERT_EQ(violation.has_value(), offending > 0) << "round " << round;
    if (!violation) continue;
    ++violations;
    EXPECT_EQ(violation->offending, offending);
    EXPECT_EQ(violation->total, total);
    EXPECT_EQ(violation->value, std::to_string(*first));
  }
  EXPECT_GT(violations, 100);
  EXPECT_LT(violations, 2900);
}

// Lists of indices.

FakeCall index(std::vector<int64_t> self, std::vector<std::optional<Data>> list) {
  return FakeCall().tensor("self", sizes(std::move(self))).list("indices", std::move(list));
}

TEST(IndexList, NoneStandsForOneDimension) {
  const auto violation = check("aten::index.Tensor", index({9, 3, 9}, {std::nullopt, int64s({3})}));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->list_position, 1);
  EXPECT_EQ(violation->bounds->bound, 3);
  EXPECT_FALSE(check("aten::index.Tensor", index({3, 9}, {std::nullopt, int64s({3})})));
}

class Mask : public ::testing::TestWithParam<DType> {};

TEST_P(Mask, StandsForAsManyDimensionsAsItHas) {
  const Data mask = integers(GetParam(), {1, 0, 1, 1, 0, 0}, {2, 3});
  const auto violation = check("aten::index.Tensor", index({2, 3, 4}, {mask, int64s({4})}));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->list_position, 1);
  EXPECT_EQ(violation->bounds->bound, 4);
  EXPECT_FALSE(check("aten::index.Tensor", index({2, 3, 4}, {mask, int64s({3})})));
  EXPECT_FALSE(check("aten::index.Tensor", index({2, 3, 4}, {mask})));
  EXPECT_EQ(bounds_of(*find_rule("index.indices"), index({1, 1}, {integers(GetParam(), {1}, {1})}), 0), std::nullopt);
}

TEST_P(Mask, ThatSelectsNothingLeavesNothingToIndex) {
  const Data nothing = integers(GetParam(), {0, 0}, {2});
  EXPECT_FALSE(check("aten::index.Tensor", index({2, 3}, {nothing, int64s({7})})));
}

TEST_P(Mask, WithoutDimensionsStandsForNone) {
  const auto violation = check("aten::index.Tensor", index({3, 9}, {integers(GetParam(), {1}, {}), int64s({3})}));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->bounds->bound, 3);
}

INSTANTIATE_TEST_SUITE_P(Types, Mask, ::testing::Values(DType::kBool, DType::kUInt8), [](const auto& info) { return std::string(name_of(info.param)); });

TEST(IndexList, FirstOffenderOfSeveral) {
  const auto violation = check("aten::index.Tensor", index({5, 5}, {integers(DType::kInt32, {-5, 4}, {2}), integers(DType::kInt64, {0, -6}, {2})}));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->list_position, 1);
  EXPECT_EQ(violation->value, "-6");
  EXPECT_THAT(violation->index, ElementsAre(1));
}

TEST(IndexList, AnEmptyIndexLeavesNothing) {
  EXPECT_FALSE(check("aten::index.Tensor", index({5, 5}, {int64s({}), int64s({7})})));
}

TEST(IndexList, MoreIndicesThanDimensionsAreLeftToTheHost) {
  EXPECT_FALSE(check("aten::index.Tensor", index({5}, {int64s({0}), int64s({7})})));
}

// Conditions.

TEST(Conditions, RepeatsAreCheckedOnTheDeviceOnlyIfTheSizeIsGiven) {
  EXPECT_FALSE(check("aten::repeat_interleave.Tensor", FakeCall().tensor("repeats", int64s({-1, 2}))));
  const auto call = FakeCall().tensor("repeats", int64s({-1, 2})).integer("output_size", 5);
  EXPECT_EQ(check("aten::repeat_interleave.Tensor", call)->rule->id, "repeat_interleave.total");   // the kernel looks there first
}

TEST(Conditions, SegmentLengthsAreCheckedOnTheDeviceOnlyIfUnsafe) {
  EXPECT_FALSE(check("aten::segment_reduce", FakeCall().tensor("lengths", int64s({-1})).integer("unsafe", 0)));
  EXPECT_FALSE(check("aten::segment_reduce", FakeCall().tensor("lengths", int64s({-1}))));
}

TEST(Conditions, SizesOfUnpoolingNeedTheList) {
  EXPECT_FALSE(check("aten::max_unpool2d", FakeCall().tensor("self", sizes({1, 1, 1})).tensor("indices", integers(DType::kInt64, {99}, {1, 1, 1}))));
}

TEST(Conditions, OneHotWithoutACountTakesWhatItFinds) {
  EXPECT_FALSE(check("aten::one_hot", FakeCall().tensor("self", int64s({1000})).integer("num_classes", -1)));
  EXPECT_TRUE(check("aten::one_hot", FakeCall().tensor("self", int64s({-1, 0})).integer("num_classes", -1)));
}

TEST(Conditions, MultinomialHasTwoKernels) {
  const auto draw = [](int64_t replacement, int64_t samples) {
    return check("aten::multinomial", FakeCall().tensor("self", floats({-1, 2})).integer("replacement", replacement).integer("num_samples", samples));
  };
  EXPECT_EQ(draw(0, 1)->rule->file, "TensorCompare.cu");
  EXPECT_EQ(draw(0, 2)->rule->file, "TensorCompare.cu");
  EXPECT_EQ(draw(1, 1)->rule->file, "TensorCompare.cu");
  EXPECT_EQ(draw(1, 2)->rule->file, "MultinomialKernel.cu");
}

// Stand-ins.

TEST(ValidValue, IsValid) {
  const std::optional<Bounds> bounds = Bounds{.lowest = 0, .bound = 3, .ignored = std::nullopt};
  for (const AssertRule& rule : rule_table()) {
    const auto value = valid_value(rule, bounds);
    EXPECT_EQ(value.has_value(), !rule.no_stand_in) << rule.id;
    if (!value) continue;
    if (rule.domain == Domain::kIndex || rule.domain == Domain::kDivisor) {
      EXPECT_TRUE(is_valid(rule, bounds, static_cast<int64_t>(*value), 0, true)) << rule.id;
    } else {
      EXPECT_TRUE(is_valid(rule, std::nullopt, 0, *value, false)) << rule.id;
    }
  }
}

TEST(JudgesAsAWhole, WhereElementsDependOnEachOther) {
  EXPECT_TRUE(judges_as_a_whole(*find_rule("multinomial.rows")));
  EXPECT_TRUE(judges_as_a_whole(*find_rule("masked_scatter.mask")));
  EXPECT_TRUE(judges_as_a_whole(*find_rule("repeat_interleave.total")));
  EXPECT_FALSE(judges_as_a_whole(*find_rule("scatter_gather.index")));
  EXPECT_TRUE(judges_as_a_whole(*find_rule("embedding_bag.offsets")));
  EXPECT_FALSE(judges_as_a_whole(*find_rule("poisson.self")));
}

}  // namespace
}  // namespace minrepro
