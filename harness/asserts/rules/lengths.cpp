#include "harness/asserts/parts.h"
#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

constexpr std::string_view kLength = "lengths_data[lengths_idx] >= 0";
constexpr std::string_view kMeanLength = "lengths_data[index] >= 0";
constexpr std::string_view kSafe = "leave unsafe out: the lengths are then checked at the call";
constexpr std::string_view kOffsets = "assert offsets[0] >= 0 and (offsets.diff() >= 0).all() and offsets[-1] <= data.size(axis)";

}  // namespace

std::vector<AssertRule> lengths() {
  // Sums of a vector are left to a library, which looks at nothing; only their division by the lengths checks.
  const Condition floats = {.argument = "data", .is = Is::kDType, .text = "float16|bfloat16|float32|float64"};
  const Condition no_offsets = {"offsets", Is::kNotGiven};   // which come first
  const Condition axis_of_lengths = {.argument = "lengths", .is = Is::kLastDimension, .text = "axis"};
  const Condition axis_of_offsets = {.argument = "offsets", .is = Is::kLastDimension, .text = "axis"};
  const Condition rows = {"data", Is::kNotRank, 1};
  const Condition vector = {"data", Is::kRank, 1};
  const Condition mean = {.argument = "reduce", .is = Is::kText, .text = "mean"};
  const Condition unchecked = {"unsafe", Is::kNotEqual, 0};
  const std::vector<DType> counts = {DType::kInt64, DType::kInt32};
  return {
      {.id = "repeat_interleave.total",
       .ops = {"aten::repeat_interleave"},
       .argument = "repeats", .domain = Domain::kSum, .bound = BoundKind::kInteger, .bound_argument = "output_size", .dim_argument = "dim",
       .required_argument = "output_size",
       .file = "Repeat.cu", .line = 20, .function = "compute_cuda_kernel", .expression = "result_size == cumsum_ptr[size - 1]", .read_in = k2_11,
       .cause = "output_size is not the sum of the repeats.", .mend = "leave output_size out, or pass int(repeats.sum())",
       .when = {{"output_size", Is::kAtLeast, 0}, {"repeats", Is::kNotRank, 2}}, .expands_to = "self", .no_stand_in = true, .dtypes = counts},
      {.id = "repeat_interleave.repeats",  // without output_size host code looks
       .ops = {"aten::repeat_interleave"},
       .argument = "repeats", .domain = Domain::kNonNegative, .required_argument = "output_size",
       .file = "Repeat.cu", .line = 33, .function = "compute_cuda_kernel", .expression = "repeat >= 0", .read_in = k2_11,
       .cause = "A number of repeats is negative.", .mend = "repeats.clamp_(min=0)  # then output_size is repeats.sum()",
       .when = {{"output_size", Is::kAtLeast, 0}, {"repeats", Is::kNotRank, 2}}, .no_stand_in = true, .dtypes = counts},

      {.id = "segment_reduce.lengths",  // unless `unsafe`, host code looks
       .ops = {"aten::segment_reduce"},
       .argument = "lengths", .domain = Domain::kNonNegative,
       .file = "SegmentReduce.cu", .line = 146, .function = "segment_reduce_forward_kernel", .expression = kLength, .read_in = k2_11,
       .cause = "A segment's length is negative.", .mend = kSafe, .when = {unchecked, no_offsets, floats, axis_of_lengths, rows}, .no_stand_in = true, .dtypes = counts},
      {.id = "segment_reduce.offsets",
       .ops = {"aten::segment_reduce"},
       .argument = "offsets", .domain = Domain::kNonDecreasing,
       .file = "SegmentReduce.cu", .line = 146, .function = "segment_reduce_forward_kernel", .expression = kLength, .read_in = k2_11,
       .cause = "The offsets of the segments decrease.", .mend = kOffsets, .when = {floats, axis_of_offsets, rows}, .no_stand_in = true, .dtypes = counts},
      {.id = "segment_mean.lengths",
       .ops = {"aten::segment_reduce"},
       .argument = "lengths", .domain = Domain::kNonNegative,
       .file = "SegmentReduce.cu", .line = 78, .function = "post_sum_div_kernel", .expression = kMeanLength, .read_in = k2_11,
       .cause = "A segment's length is negative.", .mend = kSafe, .when = {unchecked, no_offsets, floats, axis_of_lengths, vector, mean}, .no_stand_in = true, .dtypes = counts},
      {.id = "segment_mean.offsets",
       .ops = {"aten::segment_reduce"},
       .argument = "offsets", .domain = Domain::kNonDecreasing,
       .file = "SegmentReduce.cu", .line = 78, .function = "post_sum_div_kernel", .expression = kMeanLength, .read_in = k2_11,
       .cause = "The offsets of the segments decrease.", .mend = kOffsets, .when = {floats, axis_of_offsets, vector, mean}, .no_stand_in = true, .dtypes = counts},
      {.id = "segment_reduce.total",
       .ops = {"aten::segment_reduce"},
       .argument = "lengths", .domain = Domain::kSumAtMost, .bound = BoundKind::kSizeAt, .bound_argument = "data", .dim_argument = "axis",
       .file = "SegmentReduce.cu", .line = 121, .function = "segment_reduce_forward_kernel", .read_in = k2_6,
       .cause = "The segments together are longer than the data.", .mend = kSafe, .when = {unchecked, no_offsets, floats, axis_of_lengths}, .on_cuda = OnCuda::kIllegalAccess,
       .no_stand_in = true, .dtypes = counts},
      {.id = "segment_reduce.bounds",
       .ops = {"aten::segment_reduce", "aten::_segment_reduce_backward"},
       .argument = "offsets", .bound = BoundKind::kSizeAt, .bound_argument = "data", .dim_argument = "axis",
       .file = "SegmentReduce.cu", .line = 121, .function = "segment_reduce_forward_kernel", .read_in = k2_6,
       .cause = "A segment lies behind the end of the data, or before its start.", .mend = kOffsets,
       .when = {floats, axis_of_offsets}, .on_cuda = OnCuda::kIllegalAccess,
       .no_stand_in = true, .dtypes = counts, .inclusive = true},
      {.id = "segment_reduce_backward.lengths",  // where the next segments start is their sum
       .ops = {"aten::_segment_reduce_backward"},
       .argument = "lengths", .domain = Domain::kNonNegative,
       .file = "SegmentReduce.cu", .line = 191, .function = "segment_reduce_backward_kernel", .read_in = k2_6,
       .cause = "A segment's length is negative.", .mend = "pass the lengths of the forward call",
       .when = {no_offsets, floats, axis_of_lengths}, .on_cuda = OnCuda::kIllegalAccess,
       .no_stand_in = true, .dtypes = counts},
      {.id = "segment_reduce_backward.total",
       .ops = {"aten::_segment_reduce_backward"},
       .argument = "lengths", .domain = Domain::kSumAtMost, .bound = BoundKind::kSizeAt, .bound_argument = "data", .dim_argument = "axis",
       .file = "SegmentReduce.cu", .line = 157, .function = "segment_reduce_backward_kernel", .read_in = k2_6,
       .cause = "The segments together are longer than the data.", .mend = "pass the lengths of the forward call",
       .when = {no_offsets, floats, axis_of_lengths}, .on_cuda = OnCuda::kIllegalAccess,
       .no_stand_in = true, .dtypes = counts},
      {.id = "pack_padded_sequence.lengths",
       .ops = {"aten::_pack_padded_sequence"},
       .argument = "lengths", .bound = BoundKind::kSizeAt, .bound_argument = "input", .dim_argument = "batch_first",
       .file = "PackedSequence.cpp", .line = 24, .function = "_pack_padded_sequence", .read_in = k2_6,
       .cause = "A length is larger than the padded length: the batch sizes do not fit the packed data.", .mend = "lengths.clamp_(max=x.size(time_dim))",
       .on_cuda = OnCuda::kSilent, .same_on_cpu = true, .dtypes = {DType::kInt64}, .lowest = kAnyNegative, .inclusive = true},

      {.id = "jagged_to_padded.offsets",
       .ops = {"aten::_jagged_to_padded_dense_forward"},
       .argument = "offsets", .bound = BoundKind::kSizeAt, .bound_argument = "values", .dim = 0,
       .file = "NestedTensorTransformerFunctions.cu", .line = 594, .function = "jagged_dense_elementwise_dense_output_kernel_", .read_in = k2_6,
       .cause = "A row of the jagged tensor ends behind its values.", .mend = "assert offsets[0] == 0 and offsets[-1] == values.size(0)",
       .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .inclusive = true,
       .parts = asserts::ends_that_are_reached},
      {.id = "padded_to_jagged.offsets",
       .ops = {"aten::_padded_dense_to_jagged_forward"},
       .argument = "offsets", .domain = Domain::kNonDecreasing,
       .file = "NestedTensorTransformerFunctions.cu", .line = 790, .function = "jagged_dense_dense_elementwise_jagged_output_kernel_", .read_in = k2_6,
       .cause = "The offsets decrease.", .mend = "assert (offsets.diff() >= 0).all()", .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true,
       .after_zero = true},

      {.id = "assert_async.self",
       .ops = {"aten::_assert_async"},
       .argument = "self", .domain = Domain::kNonZero,
       .file = "TensorCompare.cu", .line = 109, .function = "_assert_async_cuda_kernel", .read_in = k2_11,
       .cause = "A condition that the program asserts does not hold.", .mend = "look at what computes the condition", .message_argument = "assert_msg"},
  };
}

}  // namespace minrepro::rules
