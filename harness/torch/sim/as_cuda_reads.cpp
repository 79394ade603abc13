#include "harness/torch/sim/as_cuda_reads.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/gcd.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/zeros_like.h>

#include "harness/asserts/bounds.h"
#include "harness/asserts/scan.h"

namespace minrepro::sim {
namespace {

/// EmbeddingBag.cu: the first bag starts at 0 and the last one ends with the indices, whatever the offsets say. Without a bag no index is read, and weights behind
/// those of the indices never are.
void read_bags(CpuArguments& arguments) {
  const at::Tensor offsets = arguments.tensor("offsets"), indices = arguments.tensor("indices");
  const at::Tensor weights = arguments.tensor("per_sample_weights"), grad = arguments.tensor("grad");
  if (offsets.dim() != 1 || indices.dim() != 1) return;
  // The backward operators are not told: their gradient has a row for each bag.
  const bool last_is_end = grad.defined() ? grad.dim() == 2 && grad.size(0) < offsets.numel() : arguments.call().integer("include_last_offset").value_or(0) != 0;
  const int64_t bags = offsets.numel() - (last_is_end ? 1 : 0);
  if (bags < 0) return;  // refused
  const int64_t read = bags == 0 ? 0 : indices.numel();
  if (read < indices.numel()) arguments.give("indices", indices.slice(0, 0, read));
  if (weights.defined() && weights.dim() == 1 && weights.numel() > read) arguments.give("per_sample_weights", weights.slice(0, 0, read));
  if (offsets.numel() == 0) return;
  const at::Tensor as_read = offsets.clone();
  if (last_is_end) as_read[-1].fill_(read);
  as_read[0].fill_(0);
  if (!as_read.equal(offsets)) arguments.give("offsets", as_read);
}

/// MultiLabelMarginCriterion.cu: a row ends at its first negative label, and labels are ints. What comes after is not looked at.
void end_rows(CpuArguments& arguments) {
  const at::Tensor target = arguments.tensor("target");
  if (target.scalar_type() != at::kLong) return;
  const at::Tensor labels = target.to(at::kInt).to(at::kLong);
  const at::Tensor ended = labels.dim() == 0 ? labels < 0 : (labels < 0).cumsum(-1) > 0;
  arguments.give("target", labels.masked_fill(ended, -1));
}

/// Indexing.cu, index_select_out_cuda_impl: if the result has no elements, no index is looked at.
void select_nothing(CpuArguments& arguments) {
  const at::Tensor self = arguments.tensor("self"), index = arguments.tensor("index");
  if (self.layout() != at::kStrided || self.numel() != 0 || index.numel() == 0) return;
  std::vector<int64_t> sizes = self.sizes().vec();
  sizes[static_cast<std::size_t>(at::maybe_wrap_dim(arguments.call().integer("dim").value_or(0), self.dim()))] = 1;
  if (asserts::count_of(sizes) != 0) return;
  arguments.give("self", self.new_empty(sizes));
  arguments.give("index", at::zeros_like(index));
}

/// DistributionTemplates.h, bernoulli_kernel: probabilities are rounded to float unless `self` is of double, which may bring them inside of [0, 1].
void round_probabilities(CpuArguments& arguments) {
  const at::Tensor p = arguments.tensor("p");
  if (p.defined() && p.scalar_type() == at::kDouble && arguments.tensor("self").scalar_type() != at::kDouble) arguments.give("p", p.clamp(0, 1));
}

int64_t lowest_of(at::ScalarType type) {
  return AT_DISPATCH_INTEGRAL_TYPES(type, "lowest_of", [] { return static_cast<int64_t>(std::numeric_limits<scalar_t>::lowest()); });
}

/// On the device the smallest integer divided by -1 is itself, with no remainder, as if it were divided by 1. The CPU raises a signal instead.
template <typename DivisorOf>
void divide_lowest(CpuArguments& arguments, const DivisorOf& divisor_of) {
  const at::Tensor self = arguments.tensor("self"), other = arguments.tensor("other");
  if (!self.defined() || !other.defined()) return;
  const at::ScalarType type = at::result_type(self, other);
  if (!at::isIntegralType(type, /*includeBool=*/false)) return;
  const at::Tensor number = self.to(type);
  const at::Tensor is_lowest = number == lowest_of(type);
  if (type == at::kByte || !is_lowest.any().item<bool>()) return;
  const at::Tensor wraps = is_lowest & (divisor_of(number, other.to(type)) == -1);
  if (wraps.any().item<bool>()) arguments.give("other", other.to(type).masked_fill(wraps, 1));
}

void divide(CpuArguments& arguments) {
  divide_lowest(arguments, [](const at::Tensor&, const at::Tensor& other) { return other; });
}

/// Math.cuh divides by the greatest common divisor, which its algorithm may leave negative.
void divide_by_gcd(CpuArguments& arguments) {
  divide_lowest(arguments, [](const at::Tensor& number, const at::Tensor& other) { return at::gcd(number, other); });
}

/// AdaptiveMaxPooling3d.cu reads a contiguous copy of the indices, the CPU's kernel their memory as if it were one.
void read_contiguous_indices(CpuArguments& arguments) {
  const at::Tensor indices = arguments.tensor("indices");
  if (!indices.is_contiguous()) arguments.give("indices", indices.contiguous());
}

/// GridSampler.cuh, safe_downgrade_to_int_range: what is no number after the padding lies outside, and nothing comes of it. The CPU's kernel would go there.
void read_grid(CpuArguments& arguments) {
  constexpr int64_t kBicubic = 2, kBorder = 1, kReflection = 2;
  const int64_t padding = arguments.call().integer("padding_mode").value_or(0);
  if (arguments.call().integer("interpolation_mode") == kBicubic || (padding != kBorder && padding != kReflection)) return;
  const at::Tensor grid = arguments.tensor("grid"), grad = arguments.tensor("grad_output");
  if (!at::isFloatingType(grid.scalar_type()) || grid.dim() != grad.dim()) return;  // refused
  // The border takes infinities in.
  const at::Tensor is_lost = (padding == kBorder ? grid.isnan() : grid.isfinite().logical_not()).any(-1);
  if (!is_lost.any().item<bool>()) return;
  arguments.give("grid", grid.masked_fill(is_lost.unsqueeze(-1), 0));
  arguments.give("grad_output", grad.masked_fill(is_lost.unsqueeze(1), 0));
}

/// By name without the overload, or with it. Source: the files of aten/src/ATen/native/cuda in 2.6.0 that each function names.
constexpr std::array kTable = std::to_array<std::pair<std::string_view, AsCudaReads>>({
    {"aten::_embedding_bag", read_bags},
    {"aten::_embedding_bag_forward_only", read_bags},
    {"aten::_embedding_bag_backward", read_bags},
    {"aten::_embedding_bag_per_sample_weights_backward", read_bags},
    {"aten::multilabel_margin_loss_forward", end_rows},
    {"aten::multilabel_margin_loss_backward", end_rows},
    {"aten::index_select", select_nothing},
    {"aten::adaptive_max_pool3d_backward", read_contiguous_indices},
    {"aten::bernoulli", round_probabilities},
    {"aten::grid_sampler_2d_backward", read_grid},
    {"aten::grid_sampler_3d_backward", read_grid},
    {"aten::div.Tensor_mode", divide},
    {"aten::div_.Tensor_mode", divide},
    {"aten::div.out_mode", divide},
    {"aten::lcm", divide_by_gcd},
});

}  // namespace

at::Tensor CpuArguments::tensor(std::string_view name) const {
  const auto position = call_.position_of(name);
  return position && (*stack_)[base_ + *position].isTensor() ? (*stack_)[base_ + *position].toTensor() : at::Tensor();
}

void CpuArguments::give(std::string_view name, const at::Tensor& tensor) { (*stack_)[base_ + *call_.position_of(name)] = tensor; }

AsCudaReads as_cuda_reads(std::string_view op) {
  const std::string family = rule_name_of(op);
  const auto row = std::find_if(kTable.begin(), kTable.end(), [&](const auto& entry) { return entry.first == family || entry.first == op; });
  return row == kTable.end() ? nullptr : row->second;
}

void cut_indices(const AssertRule& rule, CpuArguments& arguments) {
  for (std::string_view name : asserts::alternatives(rule.argument)) {
    const at::Tensor indices = arguments.tensor(name);
    if (!indices.defined()) continue;
    const std::optional<HostTensor> host = host_tensor(indices);
    if (indices.scalar_type() != at::kLong || !host || host->view.data == nullptr) return;
    // Nearly always all of them fit, both ways.
    if (asserts::surely_all_hold(host->view, {.lowest = 0, .last = std::numeric_limits<int32_t>::max()})) return;
    const std::optional<Bounds> bounds = bounds_of(rule, arguments.call());
    const Cut cut = bounds ? bounds->cut : Cut::kNone;
    if (cut == Cut::kInt32) arguments.give(name, indices.to(at::kInt).to(at::kLong));
    if (cut == Cut::kUint32) arguments.give(name, indices.bitwise_and(int64_t{std::numeric_limits<uint32_t>::max()}));
    return;
  }
}

}  // namespace minrepro::sim
