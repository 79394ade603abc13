// Every rule: calls that violate it and calls that do not, at the borders of what it allows.
#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <set>

#include "tests/asserts/call.h"

namespace minrepro {
namespace {

using minrepro::testing::FakeCall;
using minrepro::testing::Data;
using minrepro::testing::floats;
using minrepro::testing::int64s;
using minrepro::testing::integers;
using minrepro::testing::reals;
using minrepro::testing::sizes;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

/// One rule of integers: a call that holds `value` where the rule looks.
struct IndexCase {
  const char* rule;
  const char* op;
  int64_t lowest;
  int64_t bound;
  std::function<FakeCall(int64_t)> call;
  int64_t ignored = std::numeric_limits<int64_t>::min();
};

void PrintTo(const IndexCase& c, std::ostream* out) { *out << c.rule << " of " << c.op; }

Data one(int64_t value) { return int64s({value}); }

FakeCall indexed(const char* self, std::vector<int64_t> shape, const char* index, int64_t value) {
  return FakeCall().tensor(self, sizes(std::move(shape))).tensor(index, one(value));
}

FakeCall nll(std::vector<int64_t> self, std::vector<int64_t> target, int64_t value, int64_t reduction, bool backward) {
  FakeCall call = FakeCall().tensor("self", sizes(std::move(self))).tensor("target", integers(DType::kInt64, {value}, std::move(target)))
                      .integer("reduction", reduction).integer("ignore_index", -100);
  return backward ? std::move(call).tensor("grad_output", sizes({})) : call;
}

std::vector<IndexCase> index_cases() {
  const auto at_dim_1 = [](int64_t v) {
    return FakeCall().tensor("self", sizes({2, 5})).tensor("index", integers(DType::kInt64, {v}, {1, 1})).integer("dim", 1);
  };
  const auto along_dim_1 = [](int64_t v) { return indexed("self", {2, 5}, "index", v).integer("dim", 1); };
  const auto along_last = [](int64_t v) { return indexed("self", {2, 5}, "index", v).integer("dim", -1); };
  const auto of_scalar = [](int64_t v) { return indexed("self", {}, "index", v).integer("dim", 0); };
  const auto listed = [](int64_t v) { return FakeCall().tensor("self", sizes({2, 5})).list("indices", {std::nullopt, one(v)}); };
  const auto bag = [](int64_t v) { return indexed("weight", {5, 3}, "indices", v).integer("padding_idx", -1); };
  const auto pooled = [](int64_t v) {
    return FakeCall().tensor("self", sizes({1, 1, 1})).tensor("indices", integers(DType::kInt64, {v}, {1, 1, 1})).integers("output_size", {2, 3});
  };
  const auto pooled_3d = [](int64_t v) {
    return FakeCall().tensor("self", sizes({1, 1, 1, 1})).tensor("indices", integers(DType::kInt64, {v}, {1, 1, 1, 1}))
        .integers("output_size", {2, 3, 2});
  };
  const auto nll_1d = [](int64_t v) { return nll({5}, {}, v, 1, false); };
  const auto nll_2d = [](int64_t v) { return nll({1, 5}, {1}, v, 1, false); };
  const auto nll_map = [](int64_t v) { return nll({1, 5, 1, 1}, {1, 1, 1}, v, 0, false); };
  const auto nll_back = [](int64_t v) { return nll({1, 5}, {1}, v, 0, true); };
  const auto nll_map_back = [](int64_t v) { return nll({1, 5, 1, 1}, {1, 1, 1}, v, 1, true); };
  const auto nll_map_back_none = [](int64_t v) { return nll({1, 5, 1, 1}, {1, 1, 1}, v, 0, true); };
  const auto weights = [](int64_t v) { return FakeCall().tensor("indices", one(v)).integer("num_weights", 5).integer("padding_idx", 9); };
  const auto weights_backward = [](int64_t v) { return indexed("weight", {5, 3}, "indices", v).integer("padding_idx", 9); };
  const auto unsafe = [](int64_t v) {
    return FakeCall().tensor("self", sizes({2, 5})).list("indices", {std::nullopt, one(v)}).integer("accumulate", 1).integer("unsafe", 1);
  };
  return {
      {"index_select.index", "aten::index_select", 0, 5, along_dim_1},
      {"index_select.index", "aten::index_select.out", 0, 5, along_last},
      {"index_select.index", "aten::index_select", 0, 1, of_scalar},
      {"index_select.index", "aten::embedding", 0, 5, [](int64_t v) { return indexed("weight", {5, 3}, "indices", v).integer("padding_idx", 9); }},
      {"scatter_gather.index", "aten::gather", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::gather.out", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::gather_backward", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::scatter_.value", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::scatter.src_out", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::scatter_add_", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::scatter_reduce.two", 0, 5, at_dim_1},
      {"scatter_gather.index", "aten::scatter_add", 0, 1, of_scalar},
      {"index.indices", "aten::index.Tensor", -5, 5, listed},
      {"index.indices", "aten::_unsafe_index.Tensor", -5, 5, listed},
      {"index.indices", "aten::index_put_", -5, 5, listed},
      {"index.indices", "aten::_unsafe_index_put", -5, 5, listed},
      {"index.indices", "aten::_index_put_impl_", -5, 5, listed},
      {"index.indices", "aten::_index_put_impl_", -5, 5, [=](int64_t v) { return listed(v).integer("accumulate", 1); }},
      {"take_put.index", "aten::take", -6, 6, [](int64_t v) { return indexed("self", {2, 3}, "index", v); }},
      {"take_put.index", "aten::put_", -6, 6, [](int64_t v) { return indexed("self", {2, 3}, "index", v); }},
      {"index_add.index", "aten::index_add_", 0, 5, along_dim_1},
      {"index_add.index", "aten::index_reduce", 0, 5, along_last},
      {"index_add.index", "aten::index_add", 0, 1, of_scalar},
      {"index_copy.index", "aten::index_copy_", 0, 5, along_dim_1},
      {"index_copy.index", "aten::index_copy.out", 0, 1, of_scalar},
      {"index_fill.index", "aten::index_fill_.int_Scalar", -5, 5, along_dim_1},
      {"index_fill.index", "aten::index_fill.int_Tensor", -1, 1, of_scalar},
      {"embedding_bag.indices", "aten::embedding_bag.padding_idx", 0, 5, bag},
      {"embedding_bag.indices", "aten::_embedding_bag", 0, 5, bag},
      {"embedding_bag.indices", "aten::_embedding_bag_forward_only", 0, 5, bag},
      {"max_unpool2d.indices", "aten::max_unpool2d", 0, 6, pooled},
      {"max_unpool3d.indices", "aten::max_unpool3d.out", 0, 12, pooled_3d},
      {"one_hot.self", "aten::one_hot", 0, 5, [](int64_t v) { return FakeCall().tensor("self", one(v)).integer("num_classes", 5); }},
      {"nll_loss.target", "aten::nll_loss_forward", 0, 5, nll_1d, -100},
      {"nll_loss.target", "aten::nll_loss_forward.output", 0, 5, nll_2d, -100},
      {"nll_loss.target", "aten::nll_loss_backward", 0, 5, nll_back, -100},
      {"nll_loss.target", "aten::cross_entropy_loss", 0, 5, nll_2d, -100},
      {"nll_loss2d.target", "aten::nll_loss2d_forward", 0, 5, nll_map, -100},
      {"nll_loss2d.target", "aten::nll_loss2d_backward.grad_input", 0, 5, nll_map_back, -100},
      {"nll_loss2d.target", "aten::cross_entropy_loss", 0, 5, nll_map, -100},
      {"multi_margin_loss.target", "aten::multi_margin_loss", 0, 5, [](int64_t v) { return indexed("self", {1, 5}, "target", v); }},
      {"embedding_dense_backward.indices", "aten::embedding_dense_backward", 0, 5, weights, 9},
      {"embedding_renorm.indices", "aten::embedding_renorm_", 0, 5, [](int64_t v) { return indexed("self", {5, 3}, "indices", v); }},
      {"embedding_bag_backward.indices", "aten::_embedding_bag_dense_backward", 0, 5, weights, 9},
      {"embedding_bag_weights_backward.indices", "aten::_embedding_bag_per_sample_weights_backward", 0, 5, weights_backward, 9},
      {"index_put_unsafe.indices", "aten::_index_put_impl_", -5, 5, unsafe},
      {"nll_loss2d_backward.target", "aten::nll_loss2d_backward", 0, 5, nll_map_back_none, -100},
      {"multi_margin_loss_backward.target", "aten::multi_margin_loss_backward", 0, 5,
       [](int64_t v) { return indexed("self", {1, 5}, "target", v); }},
  };
}

class IndexRule : public ::testing::TestWithParam<IndexCase> {};

TEST_P(IndexRule, HoldsAtItsBorders) {
  const IndexCase& c = GetParam();
  const AssertRule* rule = find_rule(c.rule);
  ASSERT_NE(rule, nullptr);
  ASSERT_THAT(rules_for(c.op), ::testing::Contains(rule));
  for (int64_t value : {c.lowest - 1, c.lowest, int64_t{-1}, int64_t{0}, c.bound - 1, c.bound, c.bound + 1, c.ignored, int64_t{1} << 40,
                        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    SCOPED_TRACE(value);
    const bool exempt = value == c.ignored && c.ignored != std::numeric_limits<int64_t>::min();
    const bool inside = exempt || (c.lowest <= value && value < c.bound);
    const FakeCall call = c.call(value);
    const auto violation = check(*rule, call);
    EXPECT_EQ(violation.has_value(), !inside);
    const auto by_op = check(c.op, call);
    EXPECT_EQ(by_op.has_value(), !inside && rule->on_cuda != OnCuda::kSilent);
    if (by_op) {
      EXPECT_EQ(by_op->rule, rule);
    }
    if (violation) {
      EXPECT_EQ(violation->value, std::to_string(value));
      EXPECT_EQ(violation->offending, 1);
      ASSERT_TRUE(violation->bounds);
      EXPECT_EQ(violation->bounds->lowest, c.lowest);
      EXPECT_EQ(violation->bounds->bound, c.bound);
    }
    const auto bounds = bounds_of(*rule, call, rule->bound == BoundKind::kIndexedDimension ? 1 : -1);
    ASSERT_TRUE(bounds);
    EXPECT_EQ(is_valid(*rule, bounds, value, 0, true), inside);
    EXPECT_EQ(valid_value(*rule, bounds), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, IndexRule, ::testing::ValuesIn(index_cases()));

/// One rule of reals, or of several elements together.
struct ValueCase {
  const char* rule;
  const char* op;
  std::function<FakeCall(Data)> call;
  std::vector<Data> fine;
  std::vector<Data> wrong;
};

void PrintTo(const ValueCase& c, std::ostream* out) { *out << c.rule << " of " << c.op; }

std::vector<ValueCase> value_cases() {
  const auto as = [](const char* name) { return [name](Data data) { return FakeCall().tensor(name, std::move(data)); }; };
  const std::vector<Data> probabilities = {floats({0}), floats({1}), floats({0.5, -0.0}), floats({}), reals(DType::kBFloat16, {1}, {})};
  const std::vector<Data> improbable = {floats({0.5, -1e-7}), floats({1.0000001}), floats({kNan}), floats({kInfinity}), floats({-kInfinity}),
                                        reals(DType::kFloat64, {1 + 1e-15}, {1}), reals(DType::kFloat16, {1.001}, {}), reals(DType::kBFloat16, {kNan}, {1})};
  const std::vector<Data> weights = {floats({0, 1}), floats({1e-30, 0}), floats({}), reals(DType::kFloat32, {0, 3e38, 1, 0}, {2, 2}),
                                     reals(DType::kFloat16, {0, 60000}, {2})};
  const std::vector<Data> negative = {floats({-1, 2}), floats({kNan, -1e-30}), reals(DType::kFloat16, {1, -1}, {2}), reals(DType::kFloat64, {-kInfinity}, {})};
  const std::vector<Data> not_finite = {floats({1, kNan}), floats({1, kInfinity}), reals(DType::kBFloat16, {kNan}, {})};
  const std::vector<Data> empty_rows = {floats({0, 0}), reals(DType::kFloat32, {0, 1, 0, 0}, {2, 2})};
  const auto both = [](std::vector<Data> a, const std::vector<Data>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const auto draw = [](int64_t replacement, int64_t samples) {
    return [=](Data data) { return FakeCall().tensor("self", std::move(data)).integer("replacement", replacement).integer("num_samples", samples); };
  };
  const auto repeat = [](int64_t size) { return [=](Data data) { return FakeCall().tensor("repeats", std::move(data)).integer("output_size", size); }; };
  const auto masked = [](Data data) { return FakeCall().tensor("mask", std::move(data)).tensor("self", sizes({2, 2})).tensor("source", sizes({2})); };
  const auto segments = [](Data data) { return FakeCall().tensor("lengths", std::move(data)).integer("unsafe", 1); };
  return {
      {"binary_cross_entropy.self", "aten::binary_cross_entropy", as("self"), probabilities, improbable},
      {"binary_cross_entropy.target", "aten::binary_cross_entropy.out", as("target"), probabilities, improbable},
      {"bernoulli.p", "aten::bernoulli", as("self"), probabilities, improbable},
      {"bernoulli.p", "aten::bernoulli_.Tensor", as("p"), probabilities, improbable},
      {"poisson.self", "aten::poisson", as("self"), {floats({0, 5}), floats({kInfinity}), floats({})},
       {floats({1, -1e-9}), floats({kNan}), reals(DType::kFloat16, {-1}, {})}},
      {"multinomial.replacement", "aten::multinomial", draw(1, 3), weights, negative},
      {"multinomial.replacement_rows", "aten::multinomial", draw(1, 3), weights, both(not_finite, empty_rows)},
      {"multinomial.self", "aten::multinomial.out", draw(0, 3), weights, both(negative, not_finite)},
      {"multinomial.self", "aten::multinomial", draw(1, 1), weights, both(negative, not_finite)},
      {"multinomial.rows", "aten::multinomial.out", draw(0, 3), weights, empty_rows},
      {"multinomial.rows", "aten::multinomial", draw(1, 1), weights, empty_rows},
      {"repeat_interleave.total", "aten::repeat_interleave.Tensor", repeat(3), {int64s({1, 2}), int64s({3}), integers(DType::kInt32, {0, 3}, {2})},
       {int64s({1, 1}), int64s({4}), int64s({0})}},
      {"repeat_interleave.repeats", "aten::repeat_interleave.Tensor", repeat(1), {int64s({1, 0}), int64s({})},
       {int64s({2, -1}), integers(DType::kInt32, {-1, 2}, {2})}},
      {"masked_scatter.mask", "aten::masked_scatter_", masked,
       {integers(DType::kBool, {1, 1, 0, 0}, {2, 2}), integers(DType::kBool, {1, 0}, {2}), integers(DType::kBool, {0}, {})},
       {integers(DType::kBool, {1, 1, 1, 0}, {2, 2}), integers(DType::kBool, {1, 1}, {2}), integers(DType::kBool, {1}, {})}},
      {"segment_reduce.lengths", "aten::segment_reduce", segments, {int64s({0, 3}), int64s({})}, {int64s({3, -1}), integers(DType::kInt32, {-1}, {1})}},
  };
}

class ValueRule : public ::testing::TestWithParam<ValueCase> {};

TEST_P(ValueRule, TellsFineFromWrong) {
  const ValueCase& c = GetParam();
  const AssertRule* rule = find_rule(c.rule);
  ASSERT_NE(rule, nullptr);
  ASSERT_THAT(rules_for(c.op), ::testing::Contains(rule));
  for (std::size_t i = 0; i < c.fine.size(); ++i) {
    const FakeCall call = c.call(c.fine[i]);
    EXPECT_FALSE(check(*rule, call)) << "fine " << i;
    EXPECT_FALSE(check(c.op, call)) << "fine " << i;
  }
  for (std::size_t i = 0; i < c.wrong.size(); ++i) {
    SCOPED_TRACE(i);
    const FakeCall call = c.call(c.wrong[i]);
    const auto violation = check(*rule, call);
    ASSERT_TRUE(violation);
    EXPECT_FALSE(violation->value.empty());
    EXPECT_FALSE(violation->text.empty());
    EXPECT_GT(violation->offending, 0);
    // Of several rules that do not hold, the first is what the kernel gets to.
    const auto first = check(c.op, call);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->rule->id, rule->id);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, ValueRule, ::testing::ValuesIn(value_cases()));

TEST(RuleCases, CoverEveryRule) {
  std::set<std::string_view> covered;
  for (const IndexCase& c : index_cases()) covered.insert(c.rule);
  for (const ValueCase& c : value_cases()) covered.insert(c.rule);
  for (const AssertRule& rule : rule_table()) EXPECT_TRUE(covered.contains(rule.id)) << rule.id;
}

}  // namespace
}  // namespace minrepro
