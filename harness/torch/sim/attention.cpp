// scaled_dot_product_attention asks its device which kernel to take: this one takes the CPU's fused kernel whenever the CPU does.
#include <ATen/Context.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_native.h>

namespace at::native {
namespace {

int64_t choose(const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& mask, double dropout, bool is_causal,
               std::optional<double> scale, bool enable_gqa) {
  constexpr int64_t kMath = 0;  // SDPBackend::math
  // A user who allows none but CUDA's own kernels gets what they compute.
  const at::Context& context = at::globalContext();
  if (!context.userEnabledFlashSDP() && !context.userEnabledMathSDP() && (context.userEnabledMemEfficientSDP() || context.userEnabledCuDNNSDP())) return kMath;
  return _fused_sdp_choice_cpp(query, key, value, mask, dropout, is_causal, scale, enable_gqa);
}

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &choose)

}  // namespace
}  // namespace at::native
