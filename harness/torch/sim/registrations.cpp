// The simulated device's rows in the dispatcher's table: its own kernels where memory or views are concerned, the CPU fallback for all else.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "harness/torch/sim/fallback.h"
#include "harness/torch/sim/memory_ops.h"

namespace minrepro::sim {
namespace {

torch::CppFunction fallback() { return torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>(); }
torch::CppFunction sparse_fallback() { return torch::CppFunction::makeFromBoxedFunction<&run_sparse_on_cpu>(); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(fallback()); }
TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) { m.fallback(sparse_fallback()); }
TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) { m.fallback(sparse_fallback()); }
TORCH_LIBRARY_IMPL(_, NestedTensorPrivateUse1, m) { m.fallback(fallback()); }
TORCH_LIBRARY_IMPL(_, QuantizedPrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse_quantized>()); }

// A copy resolves lazy conjugation and negation itself; their fallbacks would do it by a copy, without end.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_efficientzerotensor", efficient_zero_tensor);
  m.impl("resize_", resize);
  m.impl("set_.source_Storage", set_to_storage);
  m.impl("set_.source_Storage_storage_offset", set_to_storage_at);
  m.impl("set_.source_Tensor", set_to_tensor);
  m.impl("set_", set_to_nothing);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar);
  m.impl("record_stream", record_stream);
  m.impl("_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type);

  // Views are the host's business: they launch nothing.
  m.impl("view", at::native::view);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("unfold", at::native::unfold);

  // The kernels that every backend gets for these refuse this one, or look it up in tables in which it has no row.
  m.impl("convolution_overrideable", fallback());
  m.impl("convolution_backward_overrideable", fallback());
  for (const char* name : {"mode.values", "conj_physical_", "kaiser_window", "kaiser_window.periodic", "kaiser_window.beta"}) m.impl(name, fallback());
  // Its default kernel calls addr.out, whose kernel tells by the addresses of its arguments whether it works in place. The fallback's stack moves them.
  m.impl("addr_", fallback());
  // Its default kernel calls one that only CPU and CUDA have.
  m.impl("_validate_sparse_coo_tensor_args", fallback());
  // It has a kernel for CUDA, with assertions, and one for all other backends.
  m.impl("_grouped_mm", fallback());
}

// Copies of sparse tensors go part by part.
TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) { m.impl("_copy_from", copy_from); }
TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) { m.impl("_copy_from", copy_from); }
TORCH_LIBRARY_IMPL(aten, NestedTensorPrivateUse1, m) { m.impl("_copy_from", copy_from); }

using Wanted = bool (*)(const c10::OperatorHandle&);

/// Gives the fallback to each operator of aten that is `wanted` and has no kernel at `key` yet.
void register_fallback(c10::DispatchKey key, Wanted wanted) {
  auto* library = new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);  // unregisters when destroyed
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.getNamespace() != "aten") continue;
    const auto op = dispatcher.findSchema(name);
    if (op && wanted(*op) && !op->hasKernelForDispatchKey(key)) library->impl(toString(name).c_str(), key == c10::DispatchKey::PrivateUse1 ? fallback() : sparse_fallback());
  }
}

/// A kernel for a whole class of backends comes before a backend's fallback. Where the CPU has a better one, that is what has to run:
/// - structured operators have a default kernel that works out the result's shape, allocates it and calls the `out` overload; the CPU kernel does all that
///   in one step, and the call keeps the name that its caller used;
/// - some operators are made of others where a backend has no kernel, which rounds differently and may give other strides or dtypes;
/// - the default kernels of some operators know of dense tensors only.
const bool registered = [] {
  register_fallback(c10::DispatchKey::PrivateUse1, [](const c10::OperatorHandle& op) {
    return op.hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
           (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional) ||
            op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
            op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd));
  });
  register_fallback(c10::DispatchKey::SparsePrivateUse1,
                    [](const c10::OperatorHandle& op) { return op.hasKernelForDispatchKey(c10::DispatchKey::SparseCPU); });
  register_fallback(c10::DispatchKey::SparseCsrPrivateUse1,
                    [](const c10::OperatorHandle& op) { return op.hasKernelForDispatchKey(c10::DispatchKey::SparseCsrCPU); });
  register_fallback(c10::DispatchKey::NestedTensorPrivateUse1,
                    [](const c10::OperatorHandle& op) { return op.hasKernelForDispatchKey(c10::DispatchKey::NestedTensorCPU); });
  return true;
}();

}  // namespace
}  // namespace minrepro::sim
