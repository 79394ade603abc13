#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

constexpr std::string_view kGather = "idx_dim >= 0 && idx_dim < index_size && \"scatter gather kernel index out of bounds\"";
constexpr std::string_view kScatterValue = "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\"";
constexpr std::string_view kWideRows = "ind >=0 && ind < ind_dim_size && \"vectorized gather kernel index out of bounds\"";
constexpr std::string_view kFill = "idx >= -self_dim_size && idx < self_dim_size && \"index out of bounds\"";
constexpr std::string_view kChanged = "do not write to the indices between forward and backward";
constexpr std::string_view kLook = "print(index.min(), index.max(), x.size(dim))";

}  // namespace

std::vector<AssertRule> indexing() {
  return {
      {.id = "scatter_gather.index",
       .ops = {"aten::gather", "aten::gather_backward", "aten::scatter", "aten::scatter_add", "aten::scatter_reduce"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim",
       .file = "ScatterGatherKernel.cu", .line = 163, .function = "operator()", .expression = kGather, .read_in = k2_11,
       // A gather, told by `sparse_grad`, of whole rows. A number in place of `src` (which a gather has neither).
       .also_prints = {{.file = "IndexKernelUtils.cu", .expression = kWideRows, .line = 16, .function = "vectorized_gather_kernel",
                        .when = {{"sparse_grad"}, {"grad", Is::kNotGiven}, {"dim", Is::kEqual, 0}, {"index", Is::kRepeatsRows}, {"self", Is::kRowMajor},
                                 {"self", Is::kWideRows, 16}},
                        .seldom = true},
                       {.file = "ScatterGatherKernel.cu", .expression = kScatterValue, .line = 409, .function = "operator()",
                        .when = {{"src", Is::kNotGiven}, {"sparse_grad", Is::kNotGiven}}},
                       {.file = "ScatterGatherKernel.cu", .expression = kScatterValue, .line = 409, .function = "operator()",
                        .when = {{"include_self"}, {"include_self", Is::kEqual, 0}}},
                       {.file = "THCTensorScatterGather.cu", .expression = "indexValue >= 0 && indexValue < tensor.sizes[dim]"},
                       {.file = "THCTensorScatterGather.cu", .expression = "indexValue >= 0 && indexValue < src.sizes[dim]"}},
       .cause = "Labels or positions are not below the size of the dimension that they index (more classes than the one-hot tensor has, an ignore "
                "value such as 255 or -1 that was not masked).",
       .mend = "print(index.min(), index.max(), tensor.size(dim))  # negative ones do not count from the end here; mask ignore values first",
       .unless = {{"grad"}, {"sparse_grad", Is::kNotEqual, 0}},
       .dtypes = {DType::kInt64, DType::kInt32}, .refuses_empty = true},
      {.id = "value_selecting_reduction_backward.indices",  // of max, min, median, mode, kthvalue, topk, sort
       .ops = {"aten::value_selecting_reduction_backward"},
       .argument = "indices", .bound = BoundKind::kListAt, .bound_argument = "sizes", .dim_argument = "dim",
       .file = "ScatterGatherKernel.cu", .line = 163, .function = "operator()", .expression = kGather, .read_in = k2_11,
       .cause = "The indices were changed after the forward call.", .mend = kChanged, .dtypes = {DType::kInt64, DType::kInt32}, .refuses_empty = true},
      {.id = "take_along_dim.indices",  // without a dimension it is a gather from all elements
       .ops = {"aten::take_along_dim"},
       .argument = "indices", .bound = BoundKind::kNumel, .bound_argument = "self",
       .file = "ScatterGatherKernel.cu", .line = 163, .function = "operator()", .expression = kGather, .read_in = k2_11,
       .cause = "An index is not below the number of elements.", .mend = "print(indices.min(), indices.max(), x.numel())",
       .when = {{"dim", Is::kNotGiven}}, .dtypes = {DType::kInt64}},
      {.id = "take_along_dim.wrapped",
       .ops = {"aten::take_along_dim"},
       .argument = "indices", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim", .wraps_negative = true,
       .file = "TensorAdvancedIndexing.cpp", .line = 2208, .function = "take_along_dim", .read_in = k2_6,
       .cause = "An index is outside of the dimension: the remainder is taken, without a word.", .mend = kLook,
       .when = {{"dim"}}, .on_cuda = OnCuda::kSilent, .same_on_cpu = true, .dtypes = {DType::kInt64}},
      {.id = "gather_sparse_backward.index",
       .ops = {"aten::gather_backward", "aten::_gather_sparse_backward"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim",
       .file = "TensorAdvancedIndexing.cpp", .line = 2227, .function = "_gather_sparse_backward", .read_in = k2_6,
       .cause = "The index was changed after the forward call: the sparse gradient holds rows that do not exist.", .mend = kChanged,
       .unless = {{"sparse_grad"}, {"sparse_grad", Is::kEqual, 0}}, .on_cuda = OnCuda::kSilent, .same_on_cpu = true},

      {.id = "index_select.index",  // embedding's CUDA kernel is index_select's; up to 16 indices take its own kernel, more take gather's
       .ops = {"aten::index_select", "aten::embedding"},
       .argument = "index|indices", .bound = BoundKind::kSizeAt, .bound_argument = "self|weight", .dim = 0, .dim_argument = "dim",
       .file = "Indexing.cu", .line = 1515, .function = "indexSelectSmallIndex", .expression = "srcIndex < srcSelectDimSize", .read_in = k2_11,
       .also_prints = {{.file = "IndexKernelUtils.cu", .expression = kWideRows, .line = 16, .function = "vectorized_gather_kernel",
                        .when = {{"index|indices", Is::kMoreElements, 16}, {"dim", Is::kEqual, 0}, {"self|weight", Is::kWideRows, 16}}},
                       {.file = "ScatterGatherKernel.cu", .expression = kGather, .line = 163, .function = "operator()",
                        .when = {{"index|indices", Is::kMoreElements, 16}}},
                       {.file = "THCTensorIndex.cu", .expression = "srcIndex < srcSelectDimSize"}},
       .cause = "A token, position or category id is not below the number of rows of the table (a tokenizer with added tokens, a sequence longer "
                "than max_position, a padding id of -1).",
       .mend = "model.resize_token_embeddings(len(tokenizer))  # or truncate the sequence; look at ids.min(), ids.max(), table.num_embeddings",
       .unless = {{"self.indices"}}, .dtypes = {DType::kInt64, DType::kInt32}, .cut = Cut::kUint32,
       .cut_when = {{"index|indices", Is::kNotMoreElements, 16}}},
      {.id = "index_select_sparse.index",  // of a COO tensor
       .ops = {"aten::index_select"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim", .wraps_negative = true,
       .file = "Indexing.cu", .line = 1877, .function = "operator()", .expression = "idx >= -size && idx < size && \"index_select(): index out of bounds\"",
       .read_in = k2_11, .cause = "The index names a row that the sparse tensor does not have.", .mend = kLook, .when = {{"self.indices"}},
       .of_sparse = true},

      {.id = "index.indices",
       .ops = {"aten::index", "aten::_unsafe_index", "aten::index_put", "aten::_index_put_impl", "aten::_unsafe_index_put"},
       .argument = "indices", .bound = BoundKind::kIndexedDimension, .bound_argument = "self", .wraps_negative = true,
       .file = "IndexKernel.cu", .line = 111, .function = "operator()",
       .expression = "-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"", .read_in = k2_11,
       .also_prints = {{.file = "IndexKernelUtils.cu", .expression = kWideRows, .line = 16, .function = "vectorized_gather_kernel",
                        .when = {{"values", Is::kNotGiven}, {"indices", Is::kListLength, 1}, {"self", Is::kWideRows, 16}}},
                       {.file = "IndexKernel.cu", .expression = "index >= -sizes[i] && index < sizes[i] && \"index out of bounds\""}},
       .cause = "An index tensor in x[…] holds numbers that are outside of the dimension that it indexes.",
       .mend = "print(index.min(), index.max(), x.shape)  # coordinates on the far border are one too large: clamp_(max=size - 1)",
       .when = {{"accumulate", Is::kEqual, 0}}},
      {.id = "index_put_accumulate.indices",  // two calls of _assert_async for each index, without a message
       .ops = {"aten::index_put", "aten::_index_put_impl", "aten::_unsafe_index_put"},
       .argument = "indices", .bound = BoundKind::kIndexedDimension, .bound_argument = "self", .wraps_negative = true,
       .file = "TensorCompare.cu", .line = 109, .function = "_assert_async_cuda_kernel", .expression = "", .read_in = k2_11,
       .cause = "An index tensor in index_put_(…, accumulate=True), or in the backward of x[…], is outside of the dimension that it indexes.",
       .mend = "print(index.min(), index.max(), x.shape)", .when = {{"accumulate", Is::kNotEqual, 0}}, .unless = {{"unsafe", Is::kNotEqual, 0}},
       .checks_first = true},
      {.id = "index_put_unsafe.indices",  // the backward of x[…]: what is outside is brought inside by its remainder
       .ops = {"aten::_index_put_impl"},
       .argument = "indices", .bound = BoundKind::kIndexedDimension, .bound_argument = "self", .wraps_negative = true,
       .file = "Indexing.cu", .line = 391, .function = "wrapIndexOnce", .read_in = k2_6,
       .cause = "The indices were changed after the forward call, which checked them: the gradient lands in a wrong row.", .mend = kChanged,
       .when = {{"accumulate", Is::kNotEqual, 0}, {"unsafe", Is::kNotEqual, 0}}, .on_cuda = OnCuda::kSilent},

      {.id = "take_put.index",
       .ops = {"aten::take", "aten::put"},
       .argument = "index", .bound = BoundKind::kNumel, .bound_argument = "self", .wraps_negative = true,
       .file = "IndexKernel.cu", .line = 339, .function = "operator()",
       .expression = "idx < numel && idx >= -numel && \"cuda_take_put_kernel() index out of bounds\"", .read_in = k2_11,
       .cause = "take and put_ index the tensor as if it had one dimension, and an index is not below its number of elements.",
       .mend = "print(index.min(), index.max(), x.numel())", .dtypes = {DType::kInt64}},
      {.id = "index_copy.index",
       .ops = {"aten::index_copy"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim",
       .file = "IndexKernel.cu", .line = 193, .function = "operator()",
       .expression = "idx >= 0 && idx < self_dim_size && \"index_copy_(): index out of bounds\"", .read_in = k2_11,
       .cause = "The index names a row that the destination does not have (a cache that is written past its end).",
       .mend = "print(index.min(), index.max(), out.size(dim))  # negative ones do not count from the end here",
       .dtypes = {DType::kInt64}, .refuses_empty = true},
      {.id = "index_fill.index",
       .ops = {"aten::index_fill"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim", .wraps_negative = true,
       .file = "IndexKernel.cu", .line = 154, .function = "operator()", .expression = kFill, .read_in = k2_11,
       .also_prints = {{.file = "THCTensorIndex.cu", .expression = "dstIndex < dstFillDimSize"}, {.file = "IndexKernel.cu", .expression = "dstIndex < dstFillDimSize"}},
       .cause = "The index names a row that the tensor does not have.", .mend = kLook, .dtypes = {DType::kInt64}, .refuses_empty = true},
      {.id = "index_reduce.index",  // rows that do not count themselves are filled first, where negative ones count from the end
       .ops = {"aten::index_reduce"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim", .wraps_negative = true,
       .file = "IndexKernel.cu", .line = 154, .function = "operator()", .expression = kFill, .read_in = k2_11,
       .cause = "The index names a row that the destination does not have.", .mend = kLook,
       .when = {{"include_self"}, {"include_self", Is::kEqual, 0}}, .dtypes = {DType::kInt64, DType::kInt32}},
      {.id = "index_add.index",
       .ops = {"aten::index_add", "aten::index_reduce"},
       .argument = "index", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "dim",
       .file = "Indexing.cu", .line = 1021, .function = "indexFuncSmallIndex", .expression = "dstIndex < dstAddDimSize", .read_in = k2_11,
       .also_prints = {{.file = "Indexing.cu", .expression = "dstIndex < dstAddDimSize", .line = 1080, .function = "indexFuncLargeIndex",
                        .when = {{"index", Is::kMoreElements, 16}}},
                       {.file = "THCTensorIndex.cu", .expression = "dstIndex < dstAddDimSize"}},
       .cause = "The index names a row that the destination does not have (a graph with more nodes than its feature matrix has rows).",
       .mend = "print(index.min(), index.max(), out.size(dim))  # negative ones do not count from the end here",
       .dtypes = {DType::kInt64, DType::kInt32}, .cut = Cut::kUint32},
      {.id = "one_hot.self",  // CUDA's one_hot looks at no value: scatter_ asserts
       .ops = {"aten::one_hot"},
       .argument = "self", .bound = BoundKind::kInteger, .bound_argument = "num_classes",
       .file = "ScatterGatherKernel.cu", .line = 409, .function = "operator()", .expression = kScatterValue, .read_in = k2_11,
       .cause = "A label is negative (an ignore value) or not below num_classes.",
       .mend = "F.one_hot(labels.clamp(min=0), num_classes)  # and mask the ignored ones afterwards", .dtypes = {DType::kInt64},
       .may_count = true},
      {.id = "masked_scatter.mask",
       .ops = {"aten::masked_scatter"},
       .argument = "mask", .domain = Domain::kCount, .bound = BoundKind::kNumel, .bound_argument = "source",
       .file = "IndexKernel.cu", .line = 400, .function = "masked_scatter_size_check", .expression = "totalElements <= srcSize", .read_in = k2_11,
       .cause = "The mask selects more elements than there are to write (placeholder tokens and image features do not match in number).",
       .mend = "assert int(mask.sum()) <= source.numel()", .expands_to = "self", .dtypes = {DType::kBool}},
  };
}

}  // namespace minrepro::rules
