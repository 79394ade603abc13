#include "harness/torch/sim/sparse_alias.h"

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <c10/core/Layout.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

bool is_compressed(const at::Tensor& tensor) {
  const c10::Layout layout = tensor.layout();
  return layout == c10::kSparseCsr || layout == c10::kSparseCsc || layout == c10::kSparseBsr || layout == c10::kSparseBsc;
}

at::SparseTensorImpl* coo(const at::Tensor& tensor) { return static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl()); }
at::SparseCsrTensorImpl* compressed(const at::Tensor& tensor) { return static_cast<at::SparseCsrTensorImpl*>(tensor.unsafeGetTensorImpl()); }

void set_coo_parts(const at::Tensor& to, const at::Tensor& from, const Convert& convert) {
  coo(to)->raw_resize_(coo(from)->sparse_dim(), coo(from)->dense_dim(), from.sizes());
  coo(to)->set_indices_and_values_unsafe(convert(coo(from)->indices()), convert(coo(from)->values()));
  coo(to)->set_coalesced(coo(from)->coalesced());
}

void set_compressed_parts(const at::Tensor& to, const at::Tensor& from, const Convert& convert) {
  compressed(to)->set_member_tensors(convert(compressed(from)->compressed_indices()), convert(compressed(from)->plain_indices()),
                                     convert(compressed(from)->values()), from.sizes());
}

at::Tensor face(const at::Tensor& tensor, c10::DispatchKey coo_key, c10::DispatchKey compressed_key, c10::Device device, const Convert& convert) {
  if (tensor.layout() == c10::kSparse) {
    at::Tensor made = at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(coo_key), tensor.dtype());
    set_coo_parts(made, tensor, convert);
    return made;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(is_compressed(tensor), "the simulated device has no tensors of layout ", tensor.layout());
  at::Tensor made =
      at::detail::make_tensor<at::SparseCsrTensorImpl>(c10::DispatchKeySet(compressed_key), device, tensor.layout(), tensor.dtype());
  set_compressed_parts(made, tensor, convert);
  return made;
}

}  // namespace

at::Tensor sparse_cpu_face(const at::Tensor& tensor, const Convert& to_cpu) {
  return face(tensor, c10::DispatchKey::SparseCPU, c10::DispatchKey::SparseCsrCPU, c10::Device(c10::DeviceType::CPU), to_cpu);
}

at::Tensor sparse_sim_face(const at::Tensor& result, const Convert& to_sim) {
  return face(result, c10::DispatchKey::SparsePrivateUse1, c10::DispatchKey::SparseCsrPrivateUse1, sim_device(), to_sim);
}

void adopt_sparse_changes(const at::Tensor& sim, const at::Tensor& cpu, const Convert& to_sim) {
  if (sim.layout() == c10::kSparse) {
    set_coo_parts(sim, cpu, to_sim);
  } else {
    set_compressed_parts(sim, cpu, to_sim);
  }
}

}  // namespace minrepro::sim
