#include "harness/torch/check/tensor_view.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <c10/core/DeviceType.h>

namespace minrepro {
namespace {

bool is_simulated(const at::Tensor& tensor) {
  return tensor.device().type() == c10::DeviceType::PrivateUse1 && c10::get_privateuse1_backend() == "sim";
}

/// A dense copy on the host, made without autograd, autocast or the recorder noticing.
at::Tensor copied_to_host(const at::Tensor& tensor) {
  at::DisableRecordFunctionGuard unrecorded;
  at::AutoDispatchBelowAutograd below_autograd;
  return tensor.to(at::kCPU);
}

}  // namespace

bool is_host_readable(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage() && !tensor.is_conj() && !tensor.is_neg() &&
         !tensor._is_zerotensor() && (tensor.device().is_cpu() || is_simulated(tensor)) &&
         dtype_of_number(static_cast<int64_t>(tensor.scalar_type())).has_value();
}

bool lies_in_storage(const at::Tensor& tensor) {
  int64_t last = tensor.storage_offset();
  const at::IntArrayRef sizes = tensor.sizes(), strides = tensor.strides();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return true;
    last += (sizes[d] - 1) * strides[d];
  }
  return (last + 1) * static_cast<int64_t>(tensor.itemsize()) <= static_cast<int64_t>(tensor.storage().nbytes());
}

std::optional<HostTensor> host_tensor(const at::Tensor& tensor, bool copy_from_device) {
  if (!tensor.defined() || tensor.is_nested()) return std::nullopt;
  const std::optional<DType> dtype = dtype_of_number(static_cast<int64_t>(tensor.scalar_type()));
  if (!dtype) return std::nullopt;

  HostTensor host;
  host.view.dtype = *dtype;
  host.owner = tensor;
  if (copy_from_device && tensor.device().is_cuda() && tensor.layout() == at::kStrided) host.owner = copied_to_host(tensor);
  host.view.sizes = host.owner.sizes().vec();
  if (host.owner.layout() == at::kStrided) host.view.strides = host.owner.strides().vec();
  if (is_host_readable(host.owner) && lies_in_storage(host.owner)) host.view.data = host.owner.const_data_ptr();
  return host;
}

}  // namespace minrepro
