#include "harness/asserts/parts.h"
#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

constexpr std::string_view kReduced = "t >= 0 && t < n_classes";
constexpr std::string_view kEach = "cur_target >= 0 && cur_target < n_classes";
constexpr std::string_view kReducedByte = "t < n_classes";          // labels of uint8
constexpr std::string_view kEachByte = "cur_target < n_classes";
constexpr std::string_view kShowRange = "print(target.min(), target.max())  # labels are 0 … C-1; remap them, or mask others with ignore_index";
constexpr std::string_view kChanged = "do not write to the labels between forward and backward";

/// Loss.cu has a kernel for each layout and reduction.
Printed nll(std::string_view expression, int line, std::string_view function, std::vector<Condition> when) {
  return {.file = "Loss.cu", .expression = expression, .line = line, .function = function, .when = std::move(when)};
}

Printed nll2d(std::string_view expression, int line, std::string_view function, std::vector<Condition> when) {
  return {.file = "NLLLoss2d.cu", .expression = expression, .line = line, .function = function, .when = std::move(when)};
}

}  // namespace

std::vector<AssertRule> losses() {
  const std::vector<DType> floats = {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};
  const Condition bytes = {.argument = "target", .is = Is::kDType, .text = "uint8"};
  const Condition backward = {"grad_output"};
  const Condition each = {"reduction", Is::kEqual, 0};
  const Condition vector = {"self", Is::kRank, 1};
  const Condition matrix = {"self", Is::kRank, 2};
  return {
      {.id = "nll_loss.target",
       .ops = {"aten::nll_loss", "aten::nll_loss_forward", "aten::nll_loss_backward", "aten::nll_loss_nd", "aten::cross_entropy_loss"},
       .argument = "target", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = -1, .ignored_argument = "ignore_index",
       .file = "Loss.cu", .line = 245, .function = "nll_loss_forward_reduce_cuda_kernel_2d", .expression = kReduced, .read_in = k2_11,
       .also_prints = {nll(kEachByte, 429, "nll_loss_backward_no_reduce_cuda_kernel", {bytes, backward, each, matrix}),
                       nll(kReducedByte, 448, "nll_loss_backward_reduce_cuda_kernel_1d", {bytes, backward, vector}),
                       nll(kReducedByte, 477, "nll_loss_backward_reduce_cuda_kernel_2d", {bytes, backward}),
                       nll(kEachByte, 180, "nll_loss_forward_no_reduce_cuda_kernel", {bytes, each, matrix}),
                       nll(kReducedByte, 201, "nll_loss_forward_reduce_cuda_kernel_1d", {bytes, vector}),
                       nll(kReducedByte, 245, "nll_loss_forward_reduce_cuda_kernel_2d", {bytes}),
                       nll(kEach, 429, "nll_loss_backward_no_reduce_cuda_kernel", {backward, each, matrix}),
                       nll(kReduced, 448, "nll_loss_backward_reduce_cuda_kernel_1d", {backward, vector}),
                       nll(kReduced, 477, "nll_loss_backward_reduce_cuda_kernel_2d", {backward}),
                       nll(kEach, 180, "nll_loss_forward_no_reduce_cuda_kernel", {each, matrix}),
                       nll(kReduced, 201, "nll_loss_forward_reduce_cuda_kernel_1d", {vector}),
                       {.file = "Loss.cu", .expression = "index >= 0"},
                       {.file = "ClassNLLCriterion.cu", .expression = kReduced}, {.file = "ClassNLLCriterion.cu", .expression = kEach}},
       .cause = "A label is not below the number of classes, or is negative without being ignore_index (labels that start at 1, a mask value of 255).",
       .mend = kShowRange, .max_rank = 2, .dtypes = {DType::kInt64, DType::kUInt8}},
      {.id = "nll_loss2d.target",
       .ops = {"aten::nll_loss2d", "aten::nll_loss2d_forward", "aten::nll_loss2d_backward", "aten::nll_loss_nd", "aten::cross_entropy_loss"},
       .argument = "target", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = 1, .ignored_argument = "ignore_index",
       .file = "NLLLoss2d.cu", .line = 106, .function = "nll_loss2d_forward_kernel", .expression = kReduced, .read_in = k2_11,
       .also_prints = {nll2d(kEach, 160, "nll_loss2d_backward_no_reduce_kernel", {backward, each}),
                       nll2d(kReduced, 197, "nll_loss2d_backward_kernel", {backward}),
                       nll2d(kEach, 73, "nll_loss2d_forward_no_reduce_kernel", {each}),
                       {.file = "NLLLoss2d.cu", .expression = "input_index >= 0"}, {.file = "NLLLoss2d.cu", .expression = "grad_input_index >= 0"},
                       {.file = "SpatialClassNLLCriterion.cu", .expression = kReduced}},
       .cause = "A pixel's label is not below the number of classes (a mask of 0 and 255 read as labels, a border value that is not ignore_index).",
       .mend = kShowRange, .min_rank = 3, .dtypes = {DType::kInt64}, .cut = Cut::kInt32,
       .cut_when = {{"reduction", Is::kNotEqual, 0}, {"grad_output", Is::kNotGiven}}},
      {.id = "multi_margin_loss.target",
       .ops = {"aten::multi_margin_loss"},
       .argument = "target", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = -1,
       .file = "MultiMarginLoss.cu", .line = 33, .function = "MultiMarginLoss_forward_kernel",
       .expression = "target_k >= 0 && target_k < dim && \"target index is out of bounds\"", .read_in = k2_11,
       .also_prints = {{.file = "MultiMarginLoss.cu", .expression = "target_k >= 0 && target_k < dim"}},
       .cause = "A label is negative or not below the number of classes.", .mend = "print(target.min(), target.max())  # labels are 0 … C-1",
       .when = {{"p", Is::kAtMost, 2}}, .dtypes = {DType::kInt64}, .cut = Cut::kInt32},
      {.id = "multi_margin_loss_backward.target",
       .ops = {"aten::multi_margin_loss_backward"},
       .argument = "target", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = -1,
       .file = "MultiMarginLoss.cu", .line = 79, .function = "MultiMarginLoss_backward_kernel", .read_in = k2_6,
       .cause = "The labels were changed after the forward call.", .mend = kChanged, .when = {{"p", Is::kAtMost, 2}},
       .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64}, .cut = Cut::kInt32},
      {.id = "multilabel_margin_loss.target",  // a negative number ends a row's list of labels
       .ops = {"aten::multilabel_margin_loss", "aten::multilabel_margin_loss_forward", "aten::multilabel_margin_loss_backward"},
       .argument = "target", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = -1,
       .file = "MultiLabelMarginCriterion.cu", .line = 82, .function = "multilabel_margin_loss_forward_kernel", .read_in = k2_6,
       .cause = "A label is not below the number of classes.", .mend = "print(target.max())  # labels are 0 … C-1, and -1 ends the list",
       .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64}, .lowest = kAnyNegative, .cut = Cut::kInt32,
       .parts = asserts::before_the_first_negative},
      {.id = "ctc_loss.targets",
       .ops = {"aten::ctc_loss", "aten::_ctc_loss", "aten::_ctc_loss_backward"},
       .argument = "targets", .bound = BoundKind::kSizeAt, .bound_argument = "log_probs", .dim = -1,
       .file = "LossCTC.cu", .line = 121, .function = "ctc_loss_log_alpha_gpu_kernel", .read_in = k2_6,
       .cause = "A label is not below the number of classes (an alphabet without its blank), or is negative.",
       .mend = "print(targets.min(), targets.max(), log_probs.size(-1))", .on_cuda = OnCuda::kIllegalAccess,
       .dtypes = {DType::kInt64, DType::kInt32}, .parts = asserts::labels_of_ctc},
      {.id = "binary_cross_entropy.self",
       .ops = {"aten::binary_cross_entropy"},
       .argument = "self", .domain = Domain::kProbability,
       .file = "Loss.cu", .line = 90, .function = "operator()", .expression = "input_val >= zero && input_val <= one", .read_in = k2_11,
       .also_prints = {{.file = "Loss.cu", .expression = "input >= 0. && input <= 1."}, {.file = "BCECriterion.cu", .expression = "input >= 0. && input <= 1."}},
       .cause = "The input is no probability: raw scores without a sigmoid, or NaN from earlier in the network.",
       .mend = "F.binary_cross_entropy_with_logits(scores, target)  # if it is NaN, look for where it came from", .dtypes = floats},
      {.id = "binary_cross_entropy.target",
       .ops = {"aten::binary_cross_entropy"},
       .argument = "target", .domain = Domain::kProbability,
       .file = "Loss.cu", .line = 91, .function = "operator()", .expression = "target_val >= zero && target_val <= one", .read_in = k2_11,
       .cause = "The target is no probability: a mask of 0 and 255, or class numbers.",
       .mend = "target = (mask > 0).float()", .dtypes = floats},
  };
}

}  // namespace minrepro::rules
