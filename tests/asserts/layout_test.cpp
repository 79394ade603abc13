// What a call's other arguments change: which part of a tensor a kernel reads, whether it is launched at all, and which text it prints.
#include <gmock/gmock.h>

#include "tests/asserts/call.h"

namespace minrepro {
namespace {

using minrepro::testing::Data;
using minrepro::testing::FakeCall;
using minrepro::testing::floats;
using minrepro::testing::int64s;
using minrepro::testing::integers;
using minrepro::testing::sizes;

std::optional<Violation> check_by_id(std::string_view id, const CallView& call) { return check(*find_rule(id), call); }

// ctc_loss: LossCTC.cu reads the labels that the lengths say, and only of sequences with an input.

FakeCall ctc(Data targets, std::vector<int64_t> inputs, std::vector<int64_t> lengths) {
  return FakeCall().tensor("log_probs", sizes({6, 2, 4})).tensor("targets", std::move(targets)).integers("input_lengths", std::move(inputs))
      .integers("target_lengths", std::move(lengths));
}

TEST(CtcLoss, LooksAtTheLabelsThatCount) {
  const auto padded = [](const std::vector<int64_t>& values) { return integers(DType::kInt64, values, {2, 2}); };
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(padded({1, 3, 0, 2}), {6, 6}, {2, 2})));
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(padded({1, 9, 2, -1}), {6, 6}, {1, 1})));       // padding
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(padded({9, 9, 2, 2}), {0, 6}, {2, 2})));        // no input
  const auto second = check_by_id("ctc_loss.targets", ctc(padded({1, 1, 2, 4}), {6, 6}, {2, 2}));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->index, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(second->text, "targets holds 4 at [1, 1]; dimension 2 of log_probs has size 4, so 0 … 3 are allowed");
  const auto joined = check_by_id("ctc_loss.targets", ctc(int64s({1, -1, 4}), {6, 6}, {1, 2}));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->offending, 2);
  EXPECT_EQ(joined->index, std::vector<int64_t>{1});
}

TEST(CtcLoss, HoldsWhereHostCodeRefusesTheLengths) {
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(int64s({9, 9}), {7, 6}, {1, 1})));     // longer than the input
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(int64s({9, 9}), {6, 6}, {1, 2})));     // more labels than there are
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(int64s({9, 9}), {6, 6}, {1, -1})));
  EXPECT_FALSE(check_by_id("ctc_loss.targets", ctc(int64s({9, 9}), {6}, {1, 1})));
}

TEST(MultilabelMarginLoss, ANegativeNumberEndsTheRow) {
  const auto call = [](const std::vector<int64_t>& values) {
    return FakeCall().tensor("self", sizes({2, 3})).tensor("target", integers(DType::kInt64, values, {2, 3}));
  };
  EXPECT_FALSE(check_by_id("multilabel_margin_loss.target", call({0, -1, 9, 2, 1, -5})));
  EXPECT_FALSE(check_by_id("multilabel_margin_loss.target", call({int64_t{1} << 31, 9, 9, -1, 9, 9})));   // negative as an int32
  const auto violation = check_by_id("multilabel_margin_loss.target", call({0, -1, 9, 2, 3, -1}));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->index, (std::vector<int64_t>{1, 1}));
  EXPECT_TRUE(check_by_id("multilabel_margin_loss.target", call({-1'000'000'000'000, 0, 0, -1, 0, 0})));     // 727,379,968 as an int32
  const auto vector = FakeCall().tensor("self", sizes({3})).tensor("target", int64s({3, -1, 0}));
  EXPECT_TRUE(check_by_id("multilabel_margin_loss.target", vector));
}

// Kernels that are not launched.

TEST(NoKernel, WhereThereAreNoBags) {
  const auto bag = [](const std::vector<int64_t>& offsets, int64_t last) {
    return FakeCall().tensor("weight", sizes({5, 3})).tensor("indices", int64s({7})).tensor("offsets", int64s(offsets)).integer("include_last_offset", last);
  };
  EXPECT_FALSE(check_by_id("embedding_bag.indices", bag({}, 0)));
  EXPECT_FALSE(check_by_id("embedding_bag.indices", bag({0}, 1)));
  EXPECT_TRUE(check_by_id("embedding_bag.indices", bag({0}, 0)));
  EXPECT_TRUE(check_by_id("embedding_bag.indices", bag({0, 1}, 1)));
}

TEST(NoKernel, WhereHostCodeRefusesAnEmptyDimension) {
  const auto call = [] { return FakeCall().tensor("self", sizes({0})).tensor("index", int64s({0})).integer("dim", 0); };
  for (const char* rule : {"scatter_gather.index", "index_copy.index", "index_fill.index"}) EXPECT_FALSE(check_by_id(rule, call())) << rule;
  EXPECT_TRUE(check_by_id("index_select.index", call()));
  EXPECT_TRUE(check_by_id("index_add.index", call()));
}

TEST(NoKernel, WhereOneHotIsLeftToCountAndCannot) {
  const auto call = [](const std::vector<int64_t>& labels, int64_t classes) { return FakeCall().tensor("self", int64s(labels)).integer("num_classes", classes); };
  EXPECT_TRUE(check_by_id("one_hot.self", call({-1, 2}, -1)));
  EXPECT_FALSE(check_by_id("one_hot.self", call({-1, -2}, -1)));
  EXPECT_FALSE(check_by_id("one_hot.self", call({0, 9}, 0)));
  EXPECT_FALSE(check_by_id("one_hot.self", call({0, -9}, -5)));
}

TEST(EmbeddingBackward, HasNoRowToWriteInAnEmptyTable) {
  const auto call = [](int64_t rows) { return FakeCall().tensor("indices", int64s({0})).integer("num_weights", rows).integer("padding_idx", -1); };
  EXPECT_TRUE(check_by_id("embedding_dense_backward.indices", call(0)));
  EXPECT_FALSE(check_by_id("embedding_dense_backward.indices", call(-1)));   // host code refuses it
}

TEST(CooToCsr, WritesEvenWhereThereIsNoRow) {
  const auto call = [](int64_t size) { return FakeCall().tensor("self", int64s({0})).integer("size", size); };
  EXPECT_FALSE(check_by_id("coo_to_csr.indices", call(1)));
  EXPECT_TRUE(check_by_id("coo_to_csr.indices", call(-1)));
}

TEST(NoKernel, WhereArgumentsAreRefused) {
  const auto margin = [](int64_t p) { return FakeCall().tensor("self", sizes({1, 3})).tensor("target", int64s({9})).integer("p", p); };
  EXPECT_TRUE(check_by_id("multi_margin_loss.target", margin(2)));
  EXPECT_FALSE(check_by_id("multi_margin_loss.target", margin(3)));
  const auto repeat = [](int64_t size) { return FakeCall().tensor("repeats", int64s({-1})).integer("output_size", size); };
  EXPECT_TRUE(check_by_id("repeat_interleave.repeats", repeat(0)));
  EXPECT_FALSE(check_by_id("repeat_interleave.repeats", repeat(-1)));
}

TEST(Accumulate, ChecksBeforeThereIsAnythingToWrite) {
  const auto call = [](std::vector<int64_t> self, Data index, int64_t accumulate) {
    return FakeCall().tensor("self", sizes(std::move(self))).list("indices", {std::move(index)}).integer("accumulate", accumulate);
  };
  EXPECT_TRUE(check_by_id("index_put_accumulate.indices", call({0, 3}, int64s({0}), 1)));
  EXPECT_FALSE(check_by_id("index.indices", call({0, 3}, int64s({0}), 0)));      // host code refuses it
  EXPECT_TRUE(check_by_id("index_put_accumulate.indices", call({2, 0}, int64s({2}), 1)));
  EXPECT_FALSE(check_by_id("index.indices", call({2, 0}, int64s({2}), 0)));      // nothing to write
  EXPECT_FALSE(check_by_id("index_put_accumulate.indices", call({2, 3}, int64s({}), 1)));
}

TEST(IndexReduce, FillsTheRowsThatDoNotCountFirst) {
  const auto call = [](int64_t index, int64_t include) {
    return FakeCall().tensor("self", sizes({3, 2})).tensor("index", int64s({index})).integer("dim", 0).integer("include_self", include);
  };
  EXPECT_EQ(check("aten::index_reduce", call(3, 0))->rule->id, "index_reduce.index");
  EXPECT_EQ(check("aten::index_reduce", call(-4, 0))->rule->id, "index_reduce.index");
  EXPECT_EQ(check("aten::index_reduce", call(-1, 0))->rule->id, "index_add.index");   // the filling counts it from the end
  EXPECT_EQ(check("aten::index_reduce", call(3, 1))->rule->id, "index_add.index");
  EXPECT_FALSE(check("aten::index_reduce", call(2, 0)));
}

// Parts of sparse and jagged tensors.

TEST(JaggedToPadded, RowsAreCutAtTheirLongestAndDecreasingPairsArePadding) {
  const auto call = [](const std::vector<int64_t>& offsets, int64_t longest) {
    return FakeCall().tensor("values", sizes({3, 2})).list("offsets", {int64s(offsets)}).integers("max_lengths", {longest});
  };
  EXPECT_FALSE(check_by_id("jagged_to_padded.offsets", call({0, 2, 3}, 7)));
  EXPECT_FALSE(check_by_id("jagged_to_padded.offsets", call({0, 2, 7}, 1)));
  EXPECT_FALSE(check_by_id("jagged_to_padded.offsets", call({0, 9, 3}, 0)));
  EXPECT_FALSE(check_by_id("jagged_to_padded.offsets", call({3, -5, -9}, 2)));
  EXPECT_TRUE(check_by_id("jagged_to_padded.offsets", call({0, 2, 7}, 2)));
  EXPECT_TRUE(check_by_id("jagged_to_padded.offsets", call({-1, 2}, 1)));
  EXPECT_TRUE(check_by_id("jagged_to_padded.offsets", call({0, INT64_MAX}, INT64_MAX)));
}

TEST(CompressedToDense, TheLastRowEndIsKnown) {
  const auto call = [](const std::vector<int64_t>& rows) {
    return FakeCall().tensor("self.compressed_indices", int64s(rows)).tensor("self.plain_indices", sizes({2}));
  };
  EXPECT_FALSE(check_by_id("compressed_to_dense.rows", call({0, 1, 9})));
  EXPECT_TRUE(check_by_id("compressed_to_dense.rows", call({0, 3, 2})));
  EXPECT_TRUE(check_by_id("compressed_to_dense.rows", call({-1, 1, 2})));
}

TEST(CooToSparseCsr, OnlyRowsAreCompressed) {
  const auto call = [](const std::vector<int64_t>& indices) {
    return FakeCall().tensor("self", sizes({2, 3})).tensor("self.indices", integers(DType::kInt64, indices, {2, 2}));
  };
  EXPECT_FALSE(check_by_id("coo_to_sparse_csr.indices", call({0, 1, 0, 9})));
  EXPECT_TRUE(check_by_id("coo_to_sparse_csr.indices", call({0, 2, 0, 1})));
  EXPECT_TRUE(check_by_id("coo_to_sparse_csr.indices", call({-1, 1, 0, 1})));
}

TEST(CooMul, LooksAtTensorsOfAsManyDimensions) {
  const auto call = [](std::vector<int64_t> dense) {
    return FakeCall().tensor("self", sizes(std::move(dense))).tensor("other", sizes({3})).tensor("other.indices", integers(DType::kInt64, {0, 9}, {1, 2}));
  };
  EXPECT_TRUE(check_by_id("coo_mul.other", call({3})));
  EXPECT_FALSE(check_by_id("coo_mul.other", call({})));     // a number times each value
}

TEST(GroupedMm, LooksOnlyWhereTheKernelRuns) {
  const auto call = [](DType dtype) {
    return FakeCall().tensor("self", sizes({8, 64}, dtype)).tensor("mat2", sizes({64, 8}, dtype)).tensor("offs", integers(DType::kInt32, {4, 16}, {2}));
  };
  EXPECT_TRUE(check("aten::_grouped_mm", call(DType::kBFloat16)));
  EXPECT_FALSE(check("aten::_grouped_mm", call(DType::kFloat32)));
}

TEST(SegmentReduce, OffsetsComeFirst) {
  const auto call = [](std::vector<int64_t> lengths) {
    return FakeCall().tensor("data", sizes({3, 2})).tensor("lengths", int64s(lengths)).integer("unsafe", 1);
  };
  EXPECT_TRUE(check("aten::segment_reduce", call({-1})));
  EXPECT_FALSE(check("aten::segment_reduce", call({-1}).tensor("offsets", int64s({0, 3}))));
}

TEST(Expanded, ElementsAreCountedWithoutALookAtEach) {
  const Data index = integers(DType::kInt64, {5}, {int64_t{1} << 40}, {0});
  const auto violation = check_by_id("index_add.index", FakeCall().tensor("self", sizes({3})).tensor("index", index).integer("dim", 0));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->offending, int64_t{1} << 40);
  EXPECT_EQ(violation->index, std::vector<int64_t>{0});
}

// Texts.

std::string printed(std::string_view id, const CallView& call) {
  const auto violation = check_by_id(id, call);
  return violation ? std::string(violation->printed.file) + ":" + std::to_string(violation->printed.line) : "nothing";
}

TEST(Prints, WhatTheKernelOfTheCallPrints) {
  const auto table = [](int64_t width, std::size_t indices) {
    return FakeCall().tensor("weight", sizes({5, width})).tensor("indices", int64s(std::vector<int64_t>(indices, 5)));
  };
  EXPECT_EQ(printed("index_select.index", table(64, 16)), "Indexing.cu:1515");
  EXPECT_EQ(printed("index_select.index", table(64, 17)), "IndexKernelUtils.cu:16");
  EXPECT_EQ(printed("index_select.index", table(3, 17)), "ScatterGatherKernel.cu:163");     // rows of 12 bytes

  const auto scatter = [] { return FakeCall().tensor("self", sizes({3})).tensor("index", int64s({3})).integer("dim", 0); };
  const auto with_source = [=] { return scatter().tensor("src", sizes({1})); };
  EXPECT_EQ(printed("scatter_gather.index", with_source()), "ScatterGatherKernel.cu:163");
  EXPECT_EQ(printed("scatter_gather.index", scatter().integer("sparse_grad", 0)), "ScatterGatherKernel.cu:163");     // gather
  EXPECT_EQ(printed("scatter_gather.index", scatter()), "ScatterGatherKernel.cu:409");                               // a number
  EXPECT_EQ(printed("scatter_gather.index", with_source().integer("include_self", 0)), "ScatterGatherKernel.cu:409");
  EXPECT_EQ(printed("scatter_gather.index", with_source().integer("include_self", 1)), "ScatterGatherKernel.cu:163");

  // IndexKernelUtils.h, fast_gather_kernel_eligible: one index for each row, which is copied as a whole.
  const auto rows = [](int64_t width, std::vector<int64_t> strides, int64_t dim) {
    return FakeCall().tensor("self", sizes({5, width})).tensor("index", integers(DType::kInt64, {5, 5}, {2, width}, std::move(strides))).integer("dim", dim)
        .integer("sparse_grad", 0);
  };
  EXPECT_EQ(printed("scatter_gather.index", rows(8, {1, 0}, 0)), "IndexKernelUtils.cu:16");
  EXPECT_EQ(printed("scatter_gather.index", rows(3, {1, 0}, 0)), "ScatterGatherKernel.cu:163");                      // rows of 12 bytes
  EXPECT_EQ(printed("scatter_gather.index", rows(8, {1, 0}, 0).tensor("grad", sizes({5, 8}))), "ScatterGatherKernel.cu:163");   // a gradient is scattered

  const auto nll = [](std::vector<int64_t> self, int64_t reduction) {
    return FakeCall().tensor("self", sizes(std::move(self))).tensor("target", int64s({5})).integer("reduction", reduction);
  };
  EXPECT_EQ(printed("nll_loss.target", nll({1, 5}, 1)), "Loss.cu:245");
  EXPECT_EQ(printed("nll_loss.target", nll({1, 5}, 0)), "Loss.cu:180");
  EXPECT_EQ(printed("nll_loss.target", nll({5}, 0)), "Loss.cu:201");
  EXPECT_EQ(printed("nll_loss.target", nll({1, 5}, 0).tensor("grad_output", sizes({}))), "Loss.cu:429");
  EXPECT_EQ(printed("nll_loss.target", nll({1, 5}, 1).tensor("grad_output", sizes({}))), "Loss.cu:477");
  const auto bytes = FakeCall().tensor("self", sizes({1, 5})).tensor("target", integers(DType::kUInt8, {5}, {1})).integer("reduction", 0);
  EXPECT_EQ(check_by_id("nll_loss.target", bytes)->printed.expression, "cur_target < n_classes");
  EXPECT_EQ(printed("nll_loss.target", nll({5}, 1).tensor("grad_output", sizes({}))), "Loss.cu:448");

  const auto pooled = [](int64_t index) { return FakeCall().tensor("self", sizes({1, 1, 4, 4})).tensor("indices", int64s({index})); };
  EXPECT_EQ(printed("fractional_max_pool2d_backward.indices", pooled(16)), "FractionalMaxPool2d.cu:123");
  EXPECT_EQ(printed("fractional_max_pool2d_backward.indices", pooled(-1)), "FractionalMaxPool2d.cu:120");

  EXPECT_EQ(printed("embedding_renorm.indices", FakeCall().tensor("self", sizes({5, 3})).tensor("indices", int64s({5}))), "Embedding.cu:0");
}

TEST(IgnoredIndex, IsComparedWithWhatIsLeftOfALabel) {
  const auto call = [](int64_t label, int64_t ignored) {
    return FakeCall().tensor("self", sizes({1, 5, 1, 1})).tensor("target", integers(DType::kInt64, {label}, {1, 1, 1})).integer("reduction", 1)
        .integer("ignore_index", ignored);
  };
  constexpr int64_t kWide = (int64_t{1} << 32) + 7;
  EXPECT_TRUE(check_by_id("nll_loss2d.target", call(kWide, kWide)));                       // 7 is left, which is not the ignored number
  EXPECT_FALSE(check_by_id("nll_loss2d.target", call((int64_t{1} << 32) - 100, -100)));    // -100 is left
  EXPECT_FALSE(check_by_id("nll_loss2d.target", call((int64_t{1} << 32) + 4, -100)));
}

}  // namespace
}  // namespace minrepro
