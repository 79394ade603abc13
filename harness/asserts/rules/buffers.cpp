#include "harness/asserts/rules/rules.h"

/// Kernels that take it for granted that one tensor has as many elements as another.
namespace minrepro::rules {

std::vector<AssertRule> buffers() {
  constexpr std::string_view kCause = "A tensor is shorter than the kernel takes it to be.";
  return {
      {.id = "cdist_backward.grad",
       .ops = {"aten::_cdist_backward"},
       .argument = "grad", .domain = Domain::kElements, .bound = BoundKind::kNumel, .bound_argument = "cdist",
       .file = "DistanceKernel.cu", .line = 123, .function = "cdist_backward_kernel_cuda_impl", .read_in = k2_6, .cause = kCause,
       .mend = "pass a gradient of the shape of the distances",
       .when = {{"x1|self", Condition::Is::kMoreElements, 0}}, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true},
      {.id = "pdist_backward.grad",
       .ops = {"aten::_pdist_backward"},
       .argument = "grad", .domain = Domain::kElements, .bound = BoundKind::kNumel, .bound_argument = "pdist",
       .file = "DistanceKernel.cu", .line = 91, .function = "pdist_backward_kernel_cuda_impl", .read_in = k2_6, .cause = kCause,
       .mend = "pass a gradient of the shape of the distances",
       .when = {{"x1|self", Condition::Is::kMoreElements, 0}}, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true},
      {.id = "rrelu_with_noise.noise",
       .ops = {"aten::rrelu_with_noise"},
       .argument = "noise", .domain = Domain::kElements, .bound = BoundKind::kNumel, .bound_argument = "self",
       .file = "RreluWithNoise.cu", .line = 22, .function = "rrelu_with_noise_cuda_kernel", .read_in = k2_6, .cause = kCause,
       .mend = "noise = torch.empty_like(x)", .when = {{"training", Condition::Is::kNotEqual, 0}}, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true},
      {.id = "fused_moving_avg.running_min",  // empty ones are grown
       .ops = {"aten::fused_moving_avg_obs_fake_quant", "aten::_fused_moving_avg_obs_fq_helper"},
       .argument = "running_min", .domain = Domain::kElements, .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim_argument = "ch_axis",
       .file = "FusedObsFakeQuant.cu", .line = 97, .function = "ChooseQuantizationParamsKernelImpl", .read_in = k2_6, .cause = kCause,
       .mend = "running_min and running_max need an element for each channel",
       .when = {{"per_row_fake_quant", Condition::Is::kNotEqual, 0}, {"running_min", Condition::Is::kMoreElements, 0}},
       .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true},
  };
}

}  // namespace minrepro::rules
