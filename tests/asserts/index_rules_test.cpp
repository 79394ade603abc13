// Every rule of indices: what it allows and what not at its borders, in every layout of the checked tensor.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "harness/asserts/bounds.h"
#include "tests/asserts/call.h"

namespace minrepro {
namespace {

using minrepro::testing::FakeCall;
using minrepro::testing::Data;
using minrepro::testing::int64s;
using minrepro::testing::integers;
using minrepro::testing::sizes;

/// One rule of integers: a call whose checked argument is given.
struct IndexCase {
  const char* rule;
  const char* op;
  int64_t lowest;
  int64_t bound;
  std::function<FakeCall(Data)> call;
  std::vector<int64_t> shape = {1};             ///< of the argument
  std::optional<int64_t> ignored{};
  Cut cut = Cut::kNone;
};

void PrintTo(const IndexCase& c, std::ostream* out) { *out << c.rule << " of " << c.op; }

using Build = std::function<FakeCall(Data)>;

Build indexed(const char* self, std::vector<int64_t> shape, const char* index) {
  return [=](Data data) { return FakeCall().tensor(self, sizes(shape)).tensor(index, std::move(data)); };
}

Build with(Build call, const char* name, int64_t value) {
  return [=](Data data) { return call(std::move(data)).integer(name, value); };
}

Build with_sizes(Build call, const char* name, std::vector<int64_t> shape) {
  return [=](Data data) { return call(std::move(data)).tensor(name, sizes(shape)); };
}

Build nll(std::vector<int64_t> self, int64_t reduction, bool backward) {
  Build call = with(with(indexed("self", std::move(self), "target"), "reduction", reduction), "ignore_index", -100);
  return backward ? with_sizes(call, "grad_output", {}) : call;
}

std::vector<IndexCase> index_cases() {
  const Build at_dim_1 = with(indexed("self", {2, 5}, "index"), "dim", 1);
  const Build along_last = with(indexed("self", {2, 5}, "index"), "dim", -1);
  const Build of_scalar = with(indexed("self", {}, "index"), "dim", 0);
  const Build listed = [](Data data) { return FakeCall().tensor("self", sizes({2, 5})).list("indices", {std::nullopt, std::move(data)}); };
  const Build accumulated = with(listed, "accumulate", 1);
  const Build bag = with(indexed("weight", {5, 3}, "indices"), "padding_idx", -1);
  const Build unpooled = [](Data data) { return FakeCall().tensor("indices", std::move(data)).integers("output_size", {2, 3}); };
  const Build unpooled_3d = [](Data data) { return FakeCall().tensor("indices", std::move(data)).integers("output_size", {2, 3, 2}); };
  const Build plane = indexed("self", {1, 1, 2, 3}, "indices");
  const Build volume = indexed("self", {1, 1, 2, 3, 2}, "indices");
  const Build weights = with(with([](Data data) { return FakeCall().tensor("indices", std::move(data)); }, "num_weights", 5), "padding_idx", 9);
  const Build largest = with(with(with([](Data data) { return FakeCall().tensor("maximum_indices", std::move(data)); }, "num_weights", 5), "padding_idx", 9), "mode", 2);
  const Build weights_backward = with(indexed("weight", {5, 3}, "indices"), "padding_idx", 9);
  const Build bags_backward = with(indexed("grad", {5, 3}, "offset2bag"), "mode", 0);
  const Build quantized = indexed("weight", {5, 12}, "indices");
  const Build margin = with(indexed("self", {1, 5}, "target"), "p", 1);
  const auto grouped = [](std::vector<int64_t> self, std::vector<int64_t> mat2) {
    return Build([=](Data data) {
      return FakeCall().tensor("self", sizes(self, DType::kBFloat16)).tensor("mat2", sizes(mat2, DType::kBFloat16)).tensor("offs", std::move(data));
    });
  };
  const Build grouped_rows = grouped({5, 8}, {2, 8, 8});
  const Build grouped_columns = grouped({2, 8, 8}, {8, 5});
  const Build grouped_inner = grouped({8, 5}, {5, 8});
  const Build coordinates = with([](Data data) { return FakeCall().tensor("self", std::move(data)); }, "size", 5);
  const Build validated = [](Data data) {
    return FakeCall().tensor("compressed_idx", int64s({0, 1})).tensor("plain_idx", std::move(data)).integer("dim", 5).integer("nnz", 1);
  };
  const Build picked = [](Data data) { return FakeCall().tensor("indices", std::move(data)).integers("sizes", {2, 5}).integer("dim", 1); };
  const auto plain_of = [](const std::string& matrix) {
    return Build([=](Data data) { return FakeCall().tensor(matrix + ".plain_indices", std::move(data)).integer(matrix + ".plain_size", 5); });
  };
  const auto rows_of = [](const std::string& matrix) {
    return Build([=](Data data) { return FakeCall().tensor(matrix + ".compressed_indices", std::move(data)).tensor(matrix + ".plain_indices", sizes({5})); });
  };
  const Build sparse_rows = with_sizes(along_last, "self.indices", {2, 4});
  const std::vector<int64_t> one_by_one = {1, 1};
  const std::vector<int64_t> map = {1, 1, 1};
  const std::vector<int64_t> image = {1, 1, 1, 1};
  const std::vector<int64_t> clip = {1, 1, 1, 1, 1};
  const std::optional<int64_t> none;
  return {
      {"scatter_gather.index", "aten::gather", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::gather.out", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::gather_backward", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::scatter_.value", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::scatter.src_out", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::scatter_add_", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::scatter_reduce.two", 0, 5, at_dim_1, one_by_one},
      {"scatter_gather.index", "aten::scatter_add", 0, 1, of_scalar},
      {"value_selecting_reduction_backward.indices", "aten::value_selecting_reduction_backward", 0, 5, picked, one_by_one},
      {"take_along_dim.indices", "aten::take_along_dim", 0, 10, indexed("self", {2, 5}, "indices")},
      {"take_along_dim.wrapped", "aten::take_along_dim", -5, 5, with(indexed("self", {2, 5}, "indices"), "dim", 1), one_by_one},
      {"gather_sparse_backward.index", "aten::_gather_sparse_backward", 0, 5, at_dim_1, one_by_one},
      {"gather_sparse_backward.index", "aten::gather_backward", 0, 5, with(with_sizes(at_dim_1, "grad", {1, 1}), "sparse_grad", 1), one_by_one},
      {"index_select.index", "aten::index_select", 0, 5, at_dim_1, {1}, none, Cut::kUint32},
      {"index_select.index", "aten::index_select.out", 0, 5, along_last, {1}, none, Cut::kUint32},
      {"index_select.index", "aten::index_select", 0, 1, of_scalar, {1}, none, Cut::kUint32},
      {"index_select.index", "aten::embedding", 0, 5, weights_backward, {1}, none, Cut::kUint32},
      {"index_select.index", "aten::embedding", 0, 5, weights_backward, {17}},
      {"index_select_sparse.index", "aten::index_select", -5, 5, sparse_rows},
      {"index.indices", "aten::index.Tensor", -5, 5, listed},
      {"index.indices", "aten::_unsafe_index.Tensor", -5, 5, listed},
      {"index.indices", "aten::index_put_", -5, 5, listed},
      {"index.indices", "aten::_unsafe_index_put", -5, 5, listed},
      {"index.indices", "aten::_index_put_impl_", -5, 5, listed},
      {"index_put_accumulate.indices", "aten::_index_put_impl_", -5, 5, accumulated},
      {"index_put_accumulate.indices", "aten::index_put", -5, 5, accumulated},
      {"index_put_unsafe.indices", "aten::_index_put_impl_", -5, 5, with(accumulated, "unsafe", 1)},
      {"take_put.index", "aten::take", -6, 6, indexed("self", {2, 3}, "index")},
      {"take_put.index", "aten::put_", -6, 6, indexed("self", {2, 3}, "index")},
      {"index_copy.index", "aten::index_copy_", 0, 5, at_dim_1},
      {"index_copy.index", "aten::index_copy.out", 0, 1, of_scalar},
      {"index_fill.index", "aten::index_fill_.int_Scalar", -5, 5, at_dim_1},
      {"index_fill.index", "aten::index_fill.int_Tensor", -1, 1, of_scalar},
      {"index_add.index", "aten::index_add_", 0, 5, at_dim_1, {1}, none, Cut::kUint32},
      {"index_add.index", "aten::index_reduce", 0, 5, with(along_last, "include_self", 1), {1}, none, Cut::kUint32},
      {"index_add.index", "aten::index_add", 0, 1, of_scalar, {1}, none, Cut::kUint32},
      {"one_hot.self", "aten::one_hot", 0, 5, with([](Data data) { return FakeCall().tensor("self", std::move(data)); }, "num_classes", 5)},
      {"embedding_bag.indices", "aten::embedding_bag.padding_idx", 0, 5, bag},
      {"embedding_bag.indices", "aten::_embedding_bag", 0, 5, bag},
      {"embedding_bag.indices", "aten::_embedding_bag_forward_only", 0, 5, bag},
      {"embedding_dense_backward.indices", "aten::embedding_dense_backward", 0, 5, weights, {1}, 9, Cut::kInt32},
      {"embedding_dense_backward.indices", "aten::embedding_backward", 0, 5, with(weights, "scale_grad_by_freq", 1), {1}, 9},
      {"embedding_sparse_backward.indices", "aten::embedding_sparse_backward", 0, 5, weights, {1}, 9},
      {"embedding_sparse_backward.indices", "aten::embedding_backward", 0, 5, with(weights, "sparse", 1), {1}, 9},
      {"embedding_renorm.indices", "aten::embedding_renorm_", 0, 5, indexed("self", {5, 3}, "indices")},
      {"embedding_bag_backward.indices", "aten::_embedding_bag_dense_backward", 0, 5, with(weights, "mode", 0), {1}, 9},
      {"embedding_bag_backward.offset2bag", "aten::_embedding_bag_dense_backward", 0, 5, bags_backward},
      {"embedding_bag_backward.maximum_indices", "aten::_embedding_bag_dense_backward", kAnyNegative, 5, largest, one_by_one, 9},
      {"embedding_bag_sparse_backward.indices", "aten::_embedding_bag_sparse_backward", 0, 5, weights, {1}, 9},
      {"embedding_bag_weights_backward.indices", "aten::_embedding_bag_per_sample_weights_backward", 0, 5, weights_backward, {1}, 9, Cut::kInt32},
      {"quantized_embedding_bag.indices", "quantized::embedding_bag_byte_rowwise_offsets", 0, 5, quantized},
      {"quantized_embedding_bag.offsets", "quantized::embedding_bag_4bit_rowwise_offsets", 0, 5, indexed("indices", {4}, "offsets")},
      {"max_unpool2d.indices", "aten::max_unpool2d", 0, 6, unpooled, map, none, Cut::kInt32},
      {"max_unpool3d.indices", "aten::max_unpool3d.out", 0, 12, unpooled_3d, image},
      {"fractional_max_pool2d_backward.indices", "aten::fractional_max_pool2d_backward", 0, 6, plane, image, none, Cut::kInt32},
      {"fractional_max_pool3d_backward.indices", "aten::fractional_max_pool3d_backward.grad_input", 0, 12, volume, clip},
      {"adaptive_max_pool2d_backward.indices", "aten::adaptive_max_pool2d_backward", 0, 6, plane, image, none, Cut::kInt32},
      {"adaptive_max_pool3d_backward.indices", "aten::adaptive_max_pool3d_backward", 0, 12, volume, clip},
      {"max_pool3d_backward.indices", "aten::max_pool3d_with_indices_backward", -1, 12, volume, clip},
      {"max_pool2d_backward.indices", "aten::max_pool2d_with_indices_backward", -1, 6, plane, image},
      {"nll_loss.target", "aten::nll_loss_forward", 0, 5, nll({5}, 1, false), {}, -100},
      {"nll_loss.target", "aten::nll_loss_forward.output", 0, 5, nll({1, 5}, 1, false), {1}, -100},
      {"nll_loss.target", "aten::nll_loss_backward", 0, 5, nll({1, 5}, 0, true), {1}, -100},
      {"nll_loss.target", "aten::cross_entropy_loss", 0, 5, nll({1, 5}, 1, false), {1}, -100},
      {"nll_loss2d.target", "aten::nll_loss2d_forward", 0, 5, nll({1, 5, 1, 1}, 0, false), map, -100},
      {"nll_loss2d.target", "aten::nll_loss2d_forward", 0, 5, nll({1, 5, 1, 1}, 1, false), map, -100, Cut::kInt32},
      {"nll_loss2d.target", "aten::nll_loss2d_backward.grad_input", 0, 5, nll({1, 5, 1, 1}, 1, true), map, -100},
      {"nll_loss2d.target", "aten::nll_loss2d_backward", 0, 5, nll({1, 5, 1, 1}, 0, true), map, -100},
      {"nll_loss2d.target", "aten::cross_entropy_loss", 0, 5, nll({1, 5, 1, 1}, 0, false), map, -100},
      {"multi_margin_loss.target", "aten::multi_margin_loss", 0, 5, margin, {1}, none, Cut::kInt32},
      {"multi_margin_loss_backward.target", "aten::multi_margin_loss_backward", 0, 5, margin, {1}, none, Cut::kInt32},
      {"multilabel_margin_loss.target", "aten::multilabel_margin_loss_forward", kAnyNegative, 5, indexed("self", {1, 5}, "target"), one_by_one, none, Cut::kInt32},
      {"segment_reduce.bounds", "aten::segment_reduce", 0, 6, with(indexed("data", {5}, "offsets"), "axis", 0)},
      {"segment_reduce.bounds", "aten::_segment_reduce_backward", 0, 6, with(indexed("data", {5, 2}, "offsets"), "axis", 0)},
      {"pack_padded_sequence.lengths", "aten::_pack_padded_sequence", kAnyNegative, 6, with(indexed("input", {5, 2, 3}, "lengths"), "batch_first", 0)},
      {"pack_padded_sequence.lengths", "aten::_pack_padded_sequence", kAnyNegative, 3, with(indexed("input", {5, 2, 3}, "lengths"), "batch_first", 1)},
      {"validate_compressed.plain_idx", "aten::_validate_compressed_sparse_indices", 0, 5, validated},
      {"coo_to_csr.indices", "aten::_convert_indices_from_coo_to_csr", 0, 5, coordinates},
      {"csr_to_coo.crow_indices", "aten::_convert_indices_from_csr_to_coo", 0, 6, indexed("col_indices", {5}, "crow_indices")},
      {"compressed_self.plain", "aten::mm", 0, 5, plain_of("self")},
      {"compressed_mat1.plain", "aten::addmm", 0, 5, plain_of("mat1")},
      {"compressed_mat2.plain", "aten::addmm", 0, 5, plain_of("mat2")},
      {"compressed_mat.plain", "aten::addmv", 0, 5, plain_of("mat")},
      {"compressed_add.plain", "aten::add.Tensor", 0, 5, plain_of("other")},
      {"compressed_add.plain", "aten::mul.Tensor", 0, 5, plain_of("self")},
      {"compressed_self.rows", "aten::mm", 0, 6, rows_of("self")},
      {"compressed_mat1.rows", "aten::addmm", 0, 6, rows_of("mat1")},
      {"compressed_mat2.rows", "aten::mm", 0, 6, rows_of("mat2")},
      {"compressed_mat.rows", "aten::addmv", 0, 6, rows_of("mat")},
      {"compressed_add.rows", "aten::add_.Tensor", 0, 6, rows_of("other")},
      {"lu_unpack.pivots", "aten::lu_unpack", 1, 6, with(indexed("LU_data", {5, 3}, "LU_pivots"), "unpack_pivots", 1)},
      {"lu_solve.pivots", "aten::linalg_lu_solve", 1, 6, indexed("LU", {5, 5}, "pivots")},
      {"lu_solve.pivots", "aten::lu_solve", 1, 6, indexed("LU_data", {5, 5}, "LU_pivots")},
      {"ldl_solve.pivots", "aten::linalg_ldl_solve", -5, 6, indexed("LD", {5, 5}, "pivots")},
      {"grouped_mm.rows", "aten::_grouped_mm", kAnyNegative, 6, grouped_rows},
      {"grouped_mm.columns", "aten::_scaled_grouped_mm", kAnyNegative, 6, grouped_columns},
      {"grouped_mm.inner", "aten::_scaled_grouped_mm_v2", kAnyNegative, 6, grouped_inner},
      {"flash_attention.cum_seq_q", "aten::_flash_attention_forward", 0, 6, indexed("query", {5, 2, 8}, "cum_seq_q")},
      {"flash_attention.cum_seq_k", "aten::_flash_attention_backward", 0, 6, indexed("key", {5, 2, 8}, "cum_seq_k")},
      {"efficient_attention.cu_seqlens_q", "aten::_efficient_attention_forward", 0, 6, indexed("query", {1, 5, 2, 8}, "cu_seqlens_q")},
      {"efficient_attention.cu_seqlens_k", "aten::_efficient_attention_backward", 0, 6, indexed("key", {1, 5, 2, 8}, "cu_seqlens_k")},
      {"efficient_attention.seqlen_k", "aten::_efficient_attention_forward", 0, 6, indexed("key", {1, 5, 2, 8}, "seqlen_k")},
  };
}

/// What is left of a value that a kernel cuts.
int64_t cut(Cut how, int64_t value) {
  switch (how) {
    case Cut::kInt32: return static_cast<int32_t>(value);
    case Cut::kUint32: return static_cast<uint32_t>(value);
    case Cut::kNone: break;
  }
  return value;
}

/// The value everywhere in the argument, in one of the layouts that a user's tensor has.
struct Layout {
  const char* name;
  DType dtype;
  int64_t last;          ///< size of the last dimension; 0 as it is
  int64_t stride;        ///< in it; what lies between is far outside
};
constexpr Layout kLayouts[] = {{"int64", DType::kInt64, 0, 1}, {"int32", DType::kInt32, 0, 1}, {"every other one", DType::kInt64, 2, 2},
                               {"expanded", DType::kInt64, 3, 0}, {"empty", DType::kInt64, -1, 1}, {"every other int32", DType::kInt32, 2, 2}};

class IndexRule : public ::testing::TestWithParam<IndexCase> {};

TEST_P(IndexRule, HoldsAtItsBorders) {
  const IndexCase& c = GetParam();
  const AssertRule* rule = find_rule(c.rule);
  ASSERT_NE(rule, nullptr);
  ASSERT_THAT(rules_for(c.op), ::testing::Contains(rule));
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> values = {c.lowest == kLeast ? kLeast : c.lowest - 1, c.lowest, -c.bound - 1, -c.bound, -1, 0, 1, c.bound - 1, c.bound, c.bound + 1,
                                 int64_t{1} << 32, (int64_t{1} << 32) + c.bound, (int64_t{3} << 32) + c.bound - 1, kMost, kLeast};
  if (c.ignored) values.push_back(*c.ignored);
  for (const Layout& layout : kLayouts) {
    if (c.shape.empty() && layout.last != 0) continue;   // no dimension to stretch
    for (int64_t value : values) {
      if (layout.dtype == DType::kInt32 && value != static_cast<int32_t>(value)) continue;
      SCOPED_TRACE(std::string(layout.name) + ", " + std::to_string(value));
      std::vector<int64_t> shape = c.shape;
      if (layout.last != 0) shape.back() = layout.last < 0 ? 0 : layout.last * shape.back();
      std::vector<int64_t> strides = minrepro::testing::contiguous(shape);
      for (int64_t& stride : strides) stride *= layout.stride;
      std::vector<int64_t> memory(128, layout.stride == 2 ? int64_t{1} << 30 : value);
      for (std::size_t i = 0; i < memory.size(); i += 2) memory[i] = value;
      const Data data = integers(layout.dtype, memory, shape, strides);
      const int64_t elements = asserts::count_of(shape);

      const bool types = rule->dtypes.empty() || std::count(rule->dtypes.begin(), rule->dtypes.end(), layout.dtype) > 0;
      // More indices than 16 take another kernel, which cuts nothing.
      const Cut how = rule->id == "index_select.index" && elements > 16 ? Cut::kNone : c.cut;
      const int64_t left = cut(how, value);
      const bool excluded = rule->excludes_zero && left == 0;
      const bool inside = elements == 0 || !types || left == c.ignored || (c.lowest <= left && left < c.bound && !excluded);
      const FakeCall call = c.call(data);
      const auto violation = check(*rule, call);
      EXPECT_EQ(violation.has_value(), !inside);
      const auto by_op = check(c.op, call);
      if (rule->on_cuda == OnCuda::kSilent) {
        EXPECT_FALSE(by_op);
      } else if (!inside) {
        // A rule about the numbers as a whole may come before.
        EXPECT_TRUE(by_op && (by_op->rule == rule || by_op->rule->domain != Domain::kIndex));
      } else if (by_op) {
        EXPECT_NE(by_op->rule, rule);
      }
      if (violation) {
        EXPECT_EQ(violation->value, std::to_string(value));
        EXPECT_EQ(violation->offending, elements);
        ASSERT_TRUE(violation->bounds);
        EXPECT_EQ(violation->bounds->lowest, c.lowest);
        EXPECT_EQ(violation->bounds->bound, c.bound);
      }
      if (elements == 0 || rule->no_stand_in) continue;
      int position = -1;
      if (rule->bound == BoundKind::kIndexedDimension) position = 1;
      if (const auto bounds = bounds_of(*rule, call, position)) {
        if (types) {
          EXPECT_EQ(is_valid(*rule, bounds, value, 0, true), inside);
        }
        const auto stand_in = valid_value(*rule, bounds);
        ASSERT_TRUE(stand_in);
        EXPECT_TRUE(is_valid(*rule, bounds, static_cast<int64_t>(*stand_in), 0, true));
      } else {
        ADD_FAILURE() << "no bounds";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, IndexRule, ::testing::ValuesIn(index_cases()));

TEST(RuleCases, CoverEveryRuleOfIndices) {
  std::set<std::string_view> covered;
  for (const IndexCase& c : index_cases()) covered.insert(c.rule);
  for (const char* elsewhere : {"ctc_loss.targets", "index_reduce.index", "jagged_to_padded.offsets", "compressed_to_dense.rows", "coo_to_sparse_csr.indices"})
    covered.insert(elsewhere);   // layout_test.cpp: their calls need more than one number
  for (const AssertRule& rule : rule_table())
    if (rule.domain == Domain::kIndex) {
      EXPECT_TRUE(covered.contains(rule.id)) << rule.id;
    }
}

}  // namespace
}  // namespace minrepro
