// scaled_dot_product_attention asks its device which kernel to take: this one takes the CPU's fused kernel whenever the CPU does.
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_native.h>

namespace at::native {
namespace {

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &_fused_sdp_choice_cpp)

}  // namespace
}  // namespace at::native
