// torch.autocast("cuda") on the simulated device: the same operators run in the lower precision, in float32 or in the widest type as on CUDA.
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace at::autocast {
namespace {

Tensor unsafe_to_autocast(const Tensor&, const Tensor&, const std::optional<Tensor>&, int64_t) {
  TORCH_CHECK(false, "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
              "Use binary_cross_entropy_with_logits or BCEWithLogitsLoss, which are safe, in place of a sigmoid and one of these.");
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define MINREPRO_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
  AT_FORALL_LOWER_PRECISION_FP(MINREPRO_LOWER)
#undef MINREPRO_LOWER
#define MINREPRO_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
  AT_FORALL_FP32(MINREPRO_FP32)
#undef MINREPRO_FP32
#define MINREPRO_OPTIONAL_DTYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
  AT_FORALL_FP32_SET_OPT_DTYPE(MINREPRO_OPTIONAL_DTYPE)
#undef MINREPRO_OPTIONAL_DTYPE
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
#define MINREPRO_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_PROMOTE(MINREPRO_PROMOTE)
#undef MINREPRO_PROMOTE
  m.impl("binary_cross_entropy", unsafe_to_autocast);
}

}  // namespace
}  // namespace at::autocast
