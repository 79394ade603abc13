#include "harness/asserts/parts.h"
#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

constexpr std::string_view kBagIndex = "!has_invalid_index && \"Invalid input index in EmbeddingBag: index out of range [0, numRows)\"";
constexpr std::string_view kChanged = "do not write to the indices between forward and backward";

}  // namespace

std::vector<AssertRule> embedding() {
  return {
      {.id = "embedding_bag.offsets",  // before the indices of its bag
       .ops = {"aten::embedding_bag", "aten::_embedding_bag", "aten::_embedding_bag_forward_only"},
       .argument = "offsets", .domain = Domain::kNonDecreasing, .bound = BoundKind::kNumel, .bound_argument = "indices",
       .file = "EmbeddingBag.cu", .line = 138, .function = "EmbeddingBag_updateOutputKernel_sum_mean", .expression = "end >= begin", .read_in = k2_11,
       .also_prints = {{.file = "EmbeddingBag.cu", .expression = "end >= begin", .line = 77, .function = "EmbeddingBag_updateOutputKernel_max",
                        .when = {{"mode", Is::kEqual, 2}}}},
       .cause = "The offsets of the bags do not increase, or one lies behind the last index.",
       .mend = "assert (offsets.diff() >= 0).all() and offsets[-1] <= ids.numel()", .when = {{"weight", Is::kMoreElements, 0}, {"weight", Is::kRank, 2}},
       .unless = {{"per_sample_weights"}, {"mode", Is::kNotEqual, 0}},
       .no_stand_in = true, .after_zero = true, .parts = asserts::offsets_that_count},
      {.id = "embedding_bag.indices",  // the assertion comes before padding_idx is looked at
       .ops = {"aten::embedding_bag", "aten::_embedding_bag", "aten::_embedding_bag_forward_only"},
       .argument = "indices", .bound = BoundKind::kSizeAt, .bound_argument = "weight", .dim = 0,
       .file = "EmbeddingBag.cu", .line = 149, .function = "EmbeddingBag_updateOutputKernel_sum_mean", .expression = kBagIndex, .read_in = k2_11,
       .also_prints = {{.file = "EmbeddingBag.cu", .expression = kBagIndex, .line = 89, .function = "EmbeddingBag_updateOutputKernel_max",
                        .when = {{"mode", Is::kEqual, 2}}},
                       {.file = "EmbeddingBag.cu", .expression = "input[emb] < numRows"}},
       .cause = "A category id is not below the number of rows of the table, or is negative.",
       .mend = "print(ids.min(), ids.max(), bag.num_embeddings)", .parts = asserts::indices_in_bags},
      {.id = "embedding_bag.per_sample_weights",
       .ops = {"aten::_embedding_bag", "aten::_embedding_bag_forward_only"},
       .argument = "per_sample_weights", .domain = Domain::kElements, .bound = BoundKind::kNumel, .bound_argument = "indices",
       .file = "EmbeddingBag.cu", .line = 146, .function = "EmbeddingBag_updateOutputKernel_sum_mean", .read_in = k2_6,
       .cause = "There are fewer weights than indices.", .mend = "assert per_sample_weights.numel() == ids.numel()", .on_cuda = OnCuda::kIllegalAccess,
       .no_stand_in = true},

      // Backward kernels: none has an assertion.
      {.id = "embedding_dense_backward.indices",
       .ops = {"aten::embedding_dense_backward", "aten::embedding_backward"},
       .argument = "indices", .bound = BoundKind::kInteger, .bound_argument = "num_weights", .ignored_argument = "padding_idx",
       .file = "Embedding.cu", .line = 126, .function = "embedding_backward_feature_kernel", .read_in = k2_6,
       .cause = "The indices were changed after the forward call, or num_weights is not that of the table.", .mend = kChanged,
       .when = {{"sparse", Is::kEqual, 0}}, .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64, DType::kInt32}, .cut = Cut::kInt32,
       .cut_when = {{"indices", Is::kNotMoreElements, 3072}, {"scale_grad_by_freq", Is::kEqual, 0}}},
      {.id = "embedding_sparse_backward.indices",
       .ops = {"aten::embedding_sparse_backward", "aten::embedding_backward"},
       .argument = "indices", .bound = BoundKind::kInteger, .bound_argument = "num_weights", .ignored_argument = "padding_idx",
       .file = "Embedding.cpp", .line = 118, .function = "embedding_sparse_backward", .read_in = k2_6,
       .cause = "The indices were changed after the forward call: the sparse gradient holds rows that do not exist.", .mend = kChanged,
       .unless = {{"sparse"}, {"sparse", Is::kEqual, 0}}, .on_cuda = OnCuda::kSilent, .same_on_cpu = true},
      {.id = "embedding_renorm.indices",
       .ops = {"aten::embedding_renorm"},
       .argument = "indices", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = 0,
       .file = "Embedding.cu", .line = 211, .function = "renorm_kernel", .read_in = k2_6,
       .cause = "max_norm is set and an id is not below the number of rows of the table.",
       .mend = "print(ids.min(), ids.max(), table.num_embeddings)", .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64, DType::kInt32}},
      {.id = "embedding_bag_backward.indices",
       .ops = {"aten::_embedding_bag_backward", "aten::_embedding_bag_dense_backward"},
       .argument = "indices", .bound = BoundKind::kInteger, .bound_argument = "num_weights", .ignored_argument = "padding_idx",
       .file = "EmbeddingBackwardKernel.cu", .line = 188, .function = "sum_and_scatter", .read_in = k2_6,
       .cause = "The indices were changed after the forward call.", .mend = kChanged,
       .when = {{"mode", Is::kNotEqual, 2}, {"sparse", Is::kEqual, 0}}, .on_cuda = OnCuda::kIllegalAccess},
      {.id = "embedding_bag_backward.offset2bag",
       .ops = {"aten::_embedding_bag_backward", "aten::_embedding_bag_dense_backward", "aten::_embedding_bag_per_sample_weights_backward"},
       .argument = "offset2bag", .bound = BoundKind::kSizeAt, .bound_argument = "grad", .dim = 0,
       .file = "EmbeddingBackwardKernel.cu", .line = 106, .function = "compute_grad_weight_bags", .read_in = k2_6,
       .cause = "The bags are not those of the forward call.", .mend = "pass what _embedding_bag returned",
       .when = {{"mode", Is::kNotEqual, 2}, {"sparse", Is::kEqual, 0}}, .on_cuda = OnCuda::kIllegalAccess},
      {.id = "embedding_bag_backward.maximum_indices",
       .ops = {"aten::_embedding_bag_backward", "aten::_embedding_bag_dense_backward"},
       .argument = "maximum_indices", .bound = BoundKind::kInteger, .bound_argument = "num_weights", .ignored_argument = "padding_idx",
       .file = "EmbeddingBag.cu", .line = 257, .function = "EmbeddingBag_accGradParametersKernel_max", .read_in = k2_6,
       .cause = "The indices of the largest elements are not those of the forward call.", .mend = "pass what _embedding_bag returned",
       .when = {{"mode", Is::kEqual, 2}, {"sparse", Is::kEqual, 0}}, .on_cuda = OnCuda::kIllegalAccess, .lowest = kAnyNegative},
      {.id = "embedding_bag_sparse_backward.indices",
       .ops = {"aten::_embedding_bag_backward", "aten::_embedding_bag_sparse_backward"},
       .argument = "indices", .bound = BoundKind::kInteger, .bound_argument = "num_weights", .ignored_argument = "padding_idx",
       .file = "EmbeddingBag.cpp", .line = 1438, .function = "_embedding_bag_sparse_backward", .read_in = k2_6,
       .cause = "The indices were changed after the forward call: the sparse gradient holds rows that do not exist.", .mend = kChanged,
       .unless = {{"sparse"}, {"sparse", Is::kEqual, 0}}, .on_cuda = OnCuda::kSilent, .same_on_cpu = true},
      {.id = "embedding_bag_weights_backward.indices",
       .ops = {"aten::_embedding_bag_per_sample_weights_backward"},
       .argument = "indices", .bound = BoundKind::kSizeAt, .bound_argument = "weight", .dim = 0, .ignored_argument = "padding_idx",
       .file = "EmbeddingBag.cu", .line = 497, .function = "_embedding_bag_per_sample_weights_backward_kernel", .read_in = k2_6,
       .cause = "The indices were changed after the forward call.", .mend = kChanged, .on_cuda = OnCuda::kIllegalAccess, .cut = Cut::kInt32},

      // Tables of 4 or 8 bits.
      {.id = "quantized_embedding_bag.offsets",
       .ops = {"quantized::embedding_bag_byte_rowwise_offsets", "quantized::embedding_bag_4bit_rowwise_offsets"},
       .argument = "offsets", .bound = BoundKind::kNumel, .bound_argument = "indices",
       .file = "EmbeddingBag.cu", .line = 104, .function = "embedding_bag_nbits_rowwise_offsets_kernel", .read_in = k2_6,
       .cause = "An offset lies behind the last index.", .mend = "assert offsets.max() <= ids.numel()", .on_cuda = OnCuda::kIllegalAccess, .inclusive = true},
      {.id = "quantized_embedding_bag.indices",
       .ops = {"quantized::embedding_bag_byte_rowwise_offsets", "quantized::embedding_bag_4bit_rowwise_offsets"},
       .argument = "indices", .bound = BoundKind::kSizeAt, .bound_argument = "weight", .dim = 0,
       .file = "EmbeddingBag.cu", .line = 86, .function = "embedding_bag_nbits_rowwise_offsets_kernel", .read_in = k2_6,
       .cause = "A category id is not below the number of rows of the table.", .mend = "print(ids.min(), ids.max(), table.size(0))",
       .on_cuda = OnCuda::kIllegalAccess},
  };
}

}  // namespace minrepro::rules
