// Every rule of reals, and of numbers that have to fit together: calls that violate it and calls that do not.
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
                                        reals(DType::kFloat64, {1.001}, {1}), reals(DType::kFloat16, {1.001}, {}), reals(DType::kBFloat16, {kNan}, {1})};
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
  const auto i32 = [](const std::vector<int64_t>& values) { return integers(DType::kInt32, values, {static_cast<int64_t>(values.size())}); };
  const auto repeat_rows = [](int64_t size, int64_t dim) {
    return [=](Data data) { return FakeCall().tensor("repeats", std::move(data)).tensor("self", sizes({3, 2})).integer("dim", dim).integer("output_size", size); };
  };
  const auto bags = [](int64_t last) {
    return [=](Data data) {
      return FakeCall().tensor("offsets", std::move(data)).tensor("indices", sizes({4}, DType::kInt64)).tensor("weight", sizes({5, 3}))
          .integer("include_last_offset", last);
    };
  };
  const auto shaped = [](const char* name, std::vector<int64_t> shape) {
    return [=](const char* argument) {
      return [=](Data data) {
        const auto axis = static_cast<int64_t>(data.view.sizes.size()) - 1;
        return FakeCall().tensor(argument, std::move(data)).tensor(name, sizes(shape)).integer("axis", axis).integer("unsafe", 1);
      };
    };
  };
  const auto rows = shaped("data", {5, 2});
  const auto mean = [](const char* argument) {
    return [=](Data data) {
      return FakeCall().tensor(argument, std::move(data)).tensor("data", sizes({5})).text("reduce", "mean").integer("axis", 0).integer("unsafe", 1);
    };
  };
  const auto grouped = [](std::vector<int64_t> self, std::vector<int64_t> mat2, bool self_by_row = true, bool mat2_by_row = true) {
    return [=](Data data) {
      const auto laid_out = [](const std::vector<int64_t>& shape, bool by_row) {
        Data made = sizes(shape, DType::kBFloat16);
        if (!by_row) std::swap(made.view.strides[shape.size() - 1], made.view.strides[shape.size() - 2]);
        return made;
      };
      return FakeCall().tensor("offs", std::move(data)).tensor("self", laid_out(self, self_by_row)).tensor("mat2", laid_out(mat2, mat2_by_row));
    };
  };
  const auto compressed = [](Data data) {
    return FakeCall().tensor("compressed_idx", std::move(data)).tensor("plain_idx", int64s({0, 1, 2})).integer("dim", 3).integer("nnz", 3);
  };
  const auto plain = [](Data data) {
    return FakeCall().tensor("compressed_idx", int64s({0, 2, 3})).tensor("plain_idx", std::move(data)).integer("dim", 9).integer("nnz", 3);
  };
  const auto against = [](const char* argument, const char* other) {
    return [=](Data data) {
      return FakeCall().tensor("x1", sizes({2, 3})).tensor("self", sizes({2, 2})).tensor(argument, std::move(data)).tensor(other, sizes({2, 2})).integer("training", 1).integer("per_row_fake_quant", 1).integer("ch_axis", 0);
    };
  };
  const auto coo = [](const char* indices, const char* tensor, int64_t coalesced) {
    return [=](Data data) {
      return FakeCall().tensor(indices, std::move(data)).tensor(tensor, sizes({2, 3})).integer(std::string(tensor) + ".coalesced", coalesced);
    };
  };
  const auto times = [](const std::string& sparse, const char* dense) {
    return [=](Data data) { return FakeCall().tensor(sparse + ".indices", std::move(data)).tensor(sparse, sizes({2, 3})).tensor(dense, sizes({2, 3})); };
  };
  const auto cells = [](const std::vector<int64_t>& values) { return integers(DType::kInt64, values, {2, static_cast<int64_t>(values.size()) / 2}); };
  const std::vector<Data> flat = {cells({0, 1, 2, 2}), cells({0, 5}), cells({1, -1}), cells({-1, 3}), cells({})};   // outside of a dimension, inside of the tensor
  const std::vector<Data> past = {cells({1, 3}), cells({2, 0}), cells({0, -1}), cells({0, int64_t{1} << 40})};
  const std::vector<Data> inside = {cells({0, 1, 2, 2}), cells({})};
  const std::vector<Data> outside = {cells({0, 3}), cells({2, 0}), cells({1, -1}), cells({0, 1, 0, 9})};
  const std::vector<Data> wrapped = {cells({-2, 1, -3, 2})};
  const std::vector<Data> not_wrapped = {cells({-3, 0}), cells({0, -4}), cells({2, 0}), cells({0, 3})};
  const auto repeat = [](int64_t size) { return [=](Data data) { return FakeCall().tensor("repeats", std::move(data)).integer("output_size", size); }; };
  const auto divided = [](const char* rounding) {
    return [=](Data data) { return FakeCall().tensor("other", std::move(data)).tensor("self", sizes({2}, DType::kInt32)).text("rounding_mode", rounding); };
  };
  const std::vector<Data> divisors = {int64s({1, -1, INT64_MIN, INT64_MAX}), int64s({}), i32({INT32_MIN, 3}), integers(DType::kUInt8, {255}, {}),
                                      integers(DType::kBool, {1}, {1}), integers(DType::kInt64, {1, 0, 2}, {2}, {2}), floats({0})};
  const std::vector<Data> zeros = {int64s({3, 0}), int64s({0}), i32({0, 1}), integers(DType::kUInt8, {0}, {}), integers(DType::kBool, {1, 0}, {2}),
                                   integers(DType::kInt8, {0}, {4}, {0}), integers(DType::kInt64, {1, 2, 0}, {2}, {2})};
  const auto masked = [](Data data) { return FakeCall().tensor("mask", std::move(data)).tensor("self", sizes({2, 2})).tensor("source", sizes({2})); };
  return {
      {"binary_cross_entropy.self", "aten::binary_cross_entropy", as("self"), probabilities, improbable},
      {"binary_cross_entropy.target", "aten::binary_cross_entropy.out", as("target"), probabilities, improbable},
      {"bernoulli.p", "aten::bernoulli", as("self"), probabilities, improbable},
      {"bernoulli.p", "aten::bernoulli_.Tensor", [](Data data) { return FakeCall().tensor("p", std::move(data)).tensor("self", sizes({2})); },
       {floats({0, 1}), reals(DType::kFloat64, {1 + 1e-15}, {1}), reals(DType::kFloat64, {-1e-60}, {1})}, improbable},
      {"bernoulli.p", "aten::bernoulli", as("self"), {reals(DType::kFloat64, {1}, {1})}, {reals(DType::kFloat64, {1 + 1e-15}, {1})}},
      {"poisson.self", "aten::poisson", as("self"), {floats({0, 5}), floats({kInfinity}), floats({})},
       {floats({1, -1e-9}), floats({kNan}), reals(DType::kFloat16, {-1}, {})}},
      {"multinomial.replacement", "aten::multinomial", draw(1, 3), weights, negative},
      {"multinomial.replacement_rows", "aten::multinomial", draw(1, 3), weights, both(both(not_finite, empty_rows), {reals(DType::kFloat16, {60000, 60000}, {2}), floats({3e38, 3e38})})},
      {"multinomial.self", "aten::multinomial.out", draw(0, 3), weights, both(negative, not_finite)},
      {"multinomial.self", "aten::multinomial", draw(1, 1), weights, both(negative, not_finite)},
      {"multinomial.rows", "aten::multinomial.out", draw(0, 3), weights, empty_rows},
      {"multinomial.rows", "aten::multinomial", draw(1, 1), weights, empty_rows},
      {"repeat_interleave.total", "aten::repeat_interleave.Tensor", repeat(3), {int64s({1, 2}), int64s({3}), integers(DType::kInt32, {0, 3}, {2})},
       {int64s({1, 1}), int64s({4}), int64s({0})}},
      {"repeat_interleave.repeats", "aten::repeat_interleave.Tensor", repeat(1), {int64s({1, 0}), int64s({})},
       {int64s({2, -1}), integers(DType::kInt32, {-1, 2}, {2})}},
      {"repeat_interleave.total", "aten::repeat_interleave.self_Tensor", repeat_rows(6, 0), {int64s({2}), int64s({1, 2, 3})}, {int64s({3}), int64s({1, 1, 1})}},
      {"repeat_interleave.total", "aten::repeat_interleave.self_Tensor", repeat_rows(6, -1), {int64s({3}), int64s({2, 4})}, {int64s({2})}},
      {"masked_scatter.mask", "aten::masked_scatter_", masked,
       {integers(DType::kBool, {1, 1, 0, 0}, {2, 2}), integers(DType::kBool, {1, 0}, {2}), integers(DType::kBool, {0}, {})},
       {integers(DType::kBool, {1, 1, 1, 0}, {2, 2}), integers(DType::kBool, {1, 1}, {2}), integers(DType::kBool, {1}, {})}},
      {"embedding_bag.offsets", "aten::embedding_bag", bags(0),
       {int64s({0}), int64s({0, 2}), int64s({0, 0, 4}), int64s({9, 1}), int64s({-3}), int64s({}), i32({0, 4})},
       {int64s({0, 2, 1}), int64s({0, -1}), int64s({0, 5}), i32({0, 3, 9})}},
      {"embedding_bag.offsets", "aten::_embedding_bag_forward_only", bags(1),
       {int64s({0, 4}), int64s({0, 9}), int64s({0, 2, 4}), int64s({0, 2, 1}), int64s({5})}, {int64s({0, 5, 4}), int64s({0, 2, 1, 4})}},
      {"embedding_bag.per_sample_weights", "aten::_embedding_bag",
       [](Data data) { return FakeCall().tensor("per_sample_weights", std::move(data)).tensor("indices", sizes({3}, DType::kInt64)); },
       {floats({1, 1, 1}), floats({1, 1, 1, 1})}, {floats({1, 1}), floats({})}},
      {"binary_cross_entropy.self", "aten::binary_cross_entropy", as("self"), {int64s({7})}, {floats({7})}},   // host code refuses integers
      {"segment_reduce.lengths", "aten::segment_reduce", rows("lengths"), {int64s({0, 3}), int64s({})}, {int64s({3, -1}), i32({-1})}},
      {"segment_mean.lengths", "aten::segment_reduce", mean("lengths"), {int64s({0, 3}), int64s({})}, {int64s({3, -1}), i32({-1})}},
      {"segment_reduce.offsets", "aten::segment_reduce", rows("offsets"), {int64s({0, 3, 5}), int64s({2, 2}), int64s({}), int64s({4})}, {int64s({0, 3, 2}), i32({1, 0})}},
      {"segment_mean.offsets", "aten::segment_reduce", mean("offsets"), {int64s({0, 3, 5})}, {int64s({0, 3, 2})}},
      {"segment_reduce.total", "aten::segment_reduce", rows("lengths"), {int64s({2, 3}), int64s({1})}, {int64s({2, 4}), int64s({INT64_MAX, INT64_MAX})}},
      {"segment_reduce_backward.total", "aten::_segment_reduce_backward", rows("lengths"), {int64s({2, 3}), int64s({1}), integers(DType::kInt64, {2, 0, 1, 1}, {2, 2})},
       {int64s({2, 4}), integers(DType::kInt64, {2, 0, 1, 2}, {2, 2})}},
      {"segment_reduce_backward.lengths", "aten::_segment_reduce_backward", rows("lengths"), {int64s({0, 3}), int64s({})}, {int64s({3, -1}), int64s({INT64_MIN})}},
      {"adaptive_max_pool_backward.count", "aten::adaptive_max_pool3d_backward",
       [](Data data) { return FakeCall().tensor("indices", std::move(data)).tensor("grad_output", sizes({1, 2})); }, {int64s({0, 0}), int64s({0, 0, 0})}, {int64s({0})}},
      {"padded_to_jagged.offsets", "aten::_padded_dense_to_jagged_forward",
       [](Data data) { return FakeCall().tensor("dense", sizes({2, 3, 4})).list("offsets", {std::move(data)}); }, {int64s({0, 2, 5}), int64s({0})},
       {int64s({0, 2, 1}), int64s({-1, 2})}},
      {"assert_async.self", "aten::_assert_async.msg", as("self"),
       {floats({1}), floats({kNan}), int64s({-1}), integers(DType::kBool, {1}, {}), floats({0, 0}), floats({}), reals(DType::kFloat16, {1e-7}, {})},
       {floats({0}), floats({-0.0}), integers(DType::kBool, {0}, {}), int64s({0}), reals(DType::kComplex64, {0}, {1})}},
      {"validate_compressed.compressed_idx", "aten::_validate_compressed_sparse_indices", compressed, {int64s({0, 3}), int64s({0, 1, 3}), int64s({0, 0, 3, 3}), int64s({7})},
       {int64s({1, 3}), int64s({0, 2}), int64s({0, 2, 1, 3}), i32({0, 4, 3}), integers(DType::kInt64, {0, 3, 0, 2}, {2, 2})}},
      {"validate_compressed.order", "aten::_validate_compressed_sparse_indices", plain, {int64s({0, 1, 0}), int64s({5, 8, 1})}, {int64s({1, 0, 2}), int64s({1, 1, 2})}},
      {"grouped_mm.offsets", "aten::_grouped_mm", grouped({16, 8}, {2, 8, 8}), {i32({8, 16}), i32({0, 0}), i32({3, 5})}, {i32({8, 7}), i32({-1, 16})}},
      {"grouped_mm.alignment", "aten::_grouped_mm", grouped({8, 64}, {64, 8}), {i32({8, 24, 25}), i32({5})}, {i32({4, 16}), i32({8, 17, 24})}},
      {"grouped_mm.rows_alignment", "aten::_grouped_mm", grouped({64, 8}, {2, 8, 8}, false), {i32({8, 24, 25}), i32({5})}, {i32({4, 16})}},
      {"grouped_mm.mat2_alignment", "aten::_grouped_mm", grouped({8, 64}, {64, 8}, false, false), {i32({8, 24, 25})}, {i32({4, 16})}},
      {"grouped_mm.columns_alignment", "aten::_grouped_mm", grouped({2, 8, 8}, {8, 64}), {i32({8, 24, 25}), i32({5})}, {i32({4, 16})}},
      {"grouped_mm.output_alignment", "aten::_grouped_mm", grouped({2, 8, 8}, {8, 64}, true, false), {i32({8, 24, 25}), i32({5})}, {i32({4, 16})}},
      {"coo_add.indices", "aten::add.Tensor", coo("other.indices", "other", 0), flat, past},
      {"coo_add.coalesced", "aten::sub.Tensor", coo("other.indices", "other", 1), flat, past},
      {"coo_to_dense.indices", "aten::_to_dense", coo("self.indices", "self", 0), flat, past},
      {"coo_to_dense.coalesced", "aten::_to_dense", coo("self.indices", "self", 1), flat, past},
      {"coo_mul.other", "aten::mul.Tensor", times("other", "self"), wrapped, not_wrapped},
      {"coo_mul.self", "aten::mul.Tensor", times("self", "other"), wrapped, not_wrapped},
      {"sparse_mask.indices", "aten::sparse_mask", times("mask", "self"), wrapped, not_wrapped},
      {"coo_mm.indices", "aten::mm", coo("self.indices", "self", 0), inside, outside},
      {"coo_addmm.indices", "aten::hspmm", coo("mat1.indices", "mat1", 0), inside, outside},
      {"binomial.count", "aten::binomial", as("count"), {floats({0, 3}), floats({kInfinity})}, {floats({-1}), floats({kNan})}},
      {"binomial.prob", "aten::binomial", as("prob"), probabilities, improbable},
      {"standard_gamma.self", "aten::_standard_gamma", as("self"), {floats({0, 3})}, {floats({-1}), floats({kNan})}},
      {"sample_dirichlet.self", "aten::_sample_dirichlet", as("self"), {floats({0, 3})}, {floats({-1}), floats({kNan})}},
      {"cdist_backward.grad", "aten::_cdist_backward", against("grad", "cdist"), {floats({1, 1, 1, 1})}, {floats({1, 1, 1})}},
      {"pdist_backward.grad", "aten::_pdist_backward", against("grad", "pdist"), {floats({1, 1, 1, 1})}, {floats({1, 1, 1})}},
      {"rrelu_with_noise.noise", "aten::rrelu_with_noise_", against("noise", "self"), {floats({1, 1, 1, 1})}, {floats({1, 1, 1})}},
      {"fused_moving_avg.running_min", "aten::_fused_moving_avg_obs_fq_helper", against("running_min", "self"), {floats({1, 1}), floats({})}, {floats({1})}},
      {"floor_divide.other", "aten::floor_divide_.Scalar", divided(""), divisors, zeros},
      {"div_floor.other", "aten::div.Tensor_mode", divided("floor"), divisors, zeros},
      {"div_floor.other", "aten::div.Tensor_mode", divided("trunc"), zeros, {}},
      {"div_trunc.other", "aten::div_.Tensor_mode", divided("trunc"), divisors, zeros},
      {"div_trunc.other", "aten::div.out_mode", divided(""), zeros, {}},
      {"remainder.other", "aten::remainder.Tensor", divided(""), divisors, zeros},
      {"remainder.other", "aten::remainder.Scalar_Tensor",
       [](Data data) { return FakeCall().tensor("other", std::move(data)).integer("self", 5); }, divisors, zeros},
      {"fmod.other", "aten::fmod.Tensor", divided(""), divisors, zeros},
      {"fmod.other", "aten::fmod.Tensor",   // of floats
       [](Data data) { return FakeCall().tensor("other", std::move(data)).tensor("self", sizes({2})); }, zeros, {}},
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
    if (rule->on_cuda == OnCuda::kSilent) {
      EXPECT_FALSE(first);
    } else {
      ASSERT_TRUE(first);
      EXPECT_EQ(first->rule->id, rule->id);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, ValueRule, ::testing::ValuesIn(value_cases()));

TEST(RuleCases, CoverEveryRuleOfValues) {
  std::set<std::string_view> covered;
  for (const ValueCase& c : value_cases()) covered.insert(c.rule);
  for (const AssertRule& rule : rule_table())
    if (rule.domain != Domain::kIndex) {   // those: index_rules_test.cpp
      EXPECT_TRUE(covered.contains(rule.id)) << rule.id;
    }
}

}  // namespace
}  // namespace minrepro
