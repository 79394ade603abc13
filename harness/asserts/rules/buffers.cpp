#include "harness/asserts/rules/rules.h"

/// Kernels that take it for granted that one tensor has as many elements as another.
namespace minrepro::rules {
namespace {

using Is = Condition::Is;

/// `argument` has to have as many elements as `other`.
AssertRule as_long_as(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view other, std::string_view file, int line,
                      std::string_view function, std::string_view mend, std::vector<Condition> when) {
  return {.id = id, .ops = std::move(ops), .argument = argument, .domain = Domain::kElements, .bound = BoundKind::kNumel, .bound_argument = other,
          .file = file, .line = line, .function = function, .read_in = k2_6, .cause = "A tensor is shorter than the kernel takes it to be.", .mend = mend,
          .when = std::move(when), .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true};
}

}  // namespace

std::vector<AssertRule> buffers() {
  constexpr std::string_view kGradient = "pass a gradient of the shape of the distances";
  AssertRule running_min = as_long_as("fused_moving_avg.running_min", {"aten::fused_moving_avg_obs_fake_quant", "aten::_fused_moving_avg_obs_fq_helper"},
                                      "running_min", "self", "FusedObsFakeQuant.cu", 97, "ChooseQuantizationParamsKernelImpl",
                                      "running_min and running_max need an element for each channel",
                                      {{"per_row_fake_quant", Is::kNotEqual, 0}, {"running_min", Is::kMoreElements, 0}});   // empty ones are grown
  running_min.bound = BoundKind::kSizeAt;
  running_min.dim_argument = "ch_axis";
  return {
      as_long_as("cdist_backward.grad", {"aten::_cdist_backward"}, "grad", "cdist", "DistanceKernel.cu", 123, "cdist_backward_kernel_cuda_impl", kGradient,
                 {{"x1", Is::kMoreElements, 0}}),
      as_long_as("pdist_backward.grad", {"aten::_pdist_backward"}, "grad", "pdist", "DistanceKernel.cu", 91, "pdist_backward_kernel_cuda_impl", kGradient,
                 {{"self", Is::kMoreElements, 0}}),
      as_long_as("rrelu_with_noise.noise", {"aten::rrelu_with_noise"}, "noise", "self", "RreluWithNoise.cu", 22, "rrelu_with_noise_cuda_kernel",
                 "noise = torch.empty_like(x)", {{"training", Is::kNotEqual, 0}}),
      std::move(running_min),
  };
}

}  // namespace minrepro::rules
