#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

constexpr std::string_view kGroups = "GroupMMCommon.cuh";
constexpr std::string_view kGroupsFunction = "prepare_grouped_gemm_data";
std::vector<std::string_view> grouped_ops() { return {"aten::_grouped_mm", "aten::_scaled_grouped_mm", "aten::_scaled_grouped_mm_v2"}; }

/// An end of a group that lies behind the end of the matrices. The kernel runs on GPUs of compute capability 9.0 and 10.x.
AssertRule group_end(std::string_view id, std::string_view argument, int dim, std::vector<Condition> when, int line, std::string_view expression) {
  return {.id = id, .ops = grouped_ops(), .argument = "offs", .bound = BoundKind::kSizeAt, .bound_argument = argument, .dim = dim,
          .file = kGroups, .line = line, .function = kGroupsFunction, .expression = expression, .read_in = k2_11,
          .cause = "A group of rows or columns ends behind the end of the matrix.", .mend = "assert offs[-1] <= the size of the grouped dimension",
          .when = std::move(when), .dtypes = {DType::kInt32}, .lowest = kAnyNegative, .inclusive = true};
}

/// Groups that do not start at whole 16 bytes.
AssertRule group_step(std::string_view id, std::vector<Condition> when, int line, std::string_view expression, std::string_view aligned) {
  return {.id = id, .ops = grouped_ops(), .argument = "offs", .domain = Domain::kAligned,
          .file = kGroups, .line = line, .function = kGroupsFunction, .expression = expression, .read_in = k2_11,
          .cause = "The rows or columns of a group do not fill whole blocks of 16 bytes.", .mend = "pad the groups to multiples of 16 bytes",
          .when = std::move(when), .no_stand_in = true, .dtypes = {DType::kInt32}, .alignment = 16, .alignment_of = aligned};
}

/// Ends of sequences that lie behind the end of what they cut. None of these kernels has an assertion.
AssertRule sequence_end(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view cut, int dim,
                        std::string_view file, int line, std::string_view function) {
  return {.id = id, .ops = std::move(ops), .argument = argument, .bound = BoundKind::kSizeAt, .bound_argument = cut, .dim = dim,
          .file = file, .line = line, .function = function, .read_in = k2_6,
          .cause = "A sequence ends behind the last row of queries or keys.", .mend = "assert cu_seqlens[-1] == the number of rows",
          .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .dtypes = {DType::kInt32}, .inclusive = true};
}

}  // namespace

std::vector<AssertRule> attention() {
  const Condition self_2d = {"self", Is::kRank, 2};
  const Condition self_3d = {"self", Is::kRank, 3};
  const Condition mat2_2d = {"mat2", Is::kRank, 2};
  const Condition mat2_3d = {"mat2", Is::kRank, 3};
  const std::vector<std::string_view> flash = {"aten::_flash_attention_forward", "aten::_flash_attention_backward"};
  const std::vector<std::string_view> efficient = {"aten::_efficient_attention_forward", "aten::_efficient_attention_backward"};
  // The kernel computes in bfloat16, scaled in float8; others are computed group by group, where host code looks.
  const Condition types = {.argument = "self", .is = Is::kDType, .text = "bfloat16|float8_e4m3fn"};
  constexpr std::string_view kInput =
      "delta % align == 0 && \"expected input tensor dynamic dimension byte size to be non-negative multiple of 16\\n\"";
  constexpr std::string_view kOutput =
      "delta % align == 0 && \"expected output tensor dynamic dimension byte size to be non-negative multiple of 16\\n\"";
  constexpr std::string_view kEnd = "offset <= tensor_ShapeA[0] && \"expected offset to be less than tensor size\\n\"";
  constexpr std::string_view kColumns = "offset <= tensor_ShapeB[1] && \"expected offset to be less than tensor size\\n\"";
  constexpr std::string_view kInner = "offset <= tensor_ShapeA[1] && offset <= tensor_ShapeB[0] && \"expected offset to be less than tensor size\\n\"";
  return {
      {.id = "grouped_mm.offsets",
       .ops = grouped_ops(),
       .argument = "offs", .domain = Domain::kNonDecreasing,
       .file = kGroups, .line = 54, .function = kGroupsFunction, .expression = "delta >=0 && \"expected gemm dimension to be greater or equal 0\\n\"",
       .read_in = k2_11, .cause = "The ends of the groups decrease.", .mend = "offs = counts.cumsum(0).int()", .when = {types},
       .no_stand_in = true, .dtypes = {DType::kInt32}, .after_zero = true},
      group_step("grouped_mm.alignment", {types, self_2d, mat2_2d, {"self", Is::kRowMajor}}, 64, kInput, "self"),
      group_step("grouped_mm.rows_alignment", {types, self_2d, mat2_3d, {"self", Is::kNotRowMajor}}, 64, kInput, "self"),
      group_step("grouped_mm.mat2_alignment", {types, self_2d, mat2_2d, {"mat2", Is::kNotRowMajor}}, 71, kInput, "mat2"),
      group_step("grouped_mm.columns_alignment", {types, self_3d, mat2_2d, {"mat2", Is::kRowMajor}}, 71, kInput, "mat2"),
      group_step("grouped_mm.output_alignment", {types, self_3d, mat2_2d}, 80, kOutput, ""),
      group_end("grouped_mm.rows", "self", 0, {types, self_2d, mat2_3d}, 89, kEnd),
      group_end("grouped_mm.columns", "mat2", 1, {types, self_3d, mat2_2d}, 102, kColumns),
      group_end("grouped_mm.inner", "self", 1, {types, self_2d, mat2_2d}, 115, kInner),

      sequence_end("flash_attention.cum_seq_q", flash, "cum_seq_q", "query", 0, "block_info.h", 17, "BlockInfo"),
      sequence_end("flash_attention.cum_seq_k", flash, "cum_seq_k", "key", 0, "block_info.h", 17, "BlockInfo"),
      sequence_end("efficient_attention.cu_seqlens_q", efficient, "cu_seqlens_q", "query", 1, "kernel_forward.h", 213, "advance_to_block"),
      sequence_end("efficient_attention.cu_seqlens_k", efficient, "cu_seqlens_k", "key", 1, "kernel_forward.h", 213, "advance_to_block"),
      sequence_end("efficient_attention.seqlen_k", {"aten::_efficient_attention_forward"}, "seqlen_k", "key", 1, "kernel_forward.h", 222, "advance_to_block"),
  };
}

}  // namespace minrepro::rules
