#include "harness/torch/record/encoder.h"

#include <algorithm>
#include <array>

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/core/Generator.h>

namespace minrepro {
namespace {

using trace_format::ValueTag;

/// Results of operators with very many tensors (foreach) are looked up by identity instead.
constexpr std::size_t kMostArguments = 64;

bool is_result(Encoder::Role role) {
  return role == Encoder::Role::kResult || role == Encoder::Role::kOpenResult || role == Encoder::Role::kSameObjectResult;
}

/// A tensor whose shape or data only Python can tell (subclasses that wrap others, fake tensors), or that has no shape of numbers.
bool is_readable(const c10::TensorImpl* impl) {
  constexpr c10::DispatchKeySet kUnreadable({c10::DispatchKey::NestedTensor, c10::DispatchKey::FuncTorchBatched, c10::DispatchKey::FuncTorchGradWrapper,
                                             c10::DispatchKey::Functionalize});
  return !impl->is_python_dispatch() && !impl->has_symbolic_sizes_strides() && impl->layout() != c10::kJagged && !impl->key_set().has_any(kUnreadable);
}

bool has_dense_strides(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (strides[i] != step) return false;
    if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step)) return false;
  }
  return true;
}

}  // namespace

void Encoder::value(const c10::IValue& value, Role role, RecordBuffer& out, int depth) {
  if (value.isTensor()) return tensor(value.toTensor(), role, out);
  if (value.isNone()) return out.tag(ValueTag::kNone);
  if (value.isInt()) {
    out.tag(ValueTag::kInt);
    return out.signed_varint(value.toInt());
  }
  if (value.isBool()) return out.tag(value.toBool() ? ValueTag::kTrue : ValueTag::kFalse);
  if (value.isDouble()) {
    out.tag(ValueTag::kDouble);
    return out.number(value.toDouble());
  }
  if (value.isList()) return list(value, role, out, depth);
  if (value.isString()) {
    out.tag(ValueTag::kString);
    return out.string(value.toStringView());
  }
  if (value.isDevice()) {
    const c10::Device device = value.toDevice();
    out.tag(ValueTag::kDevice);
    out.byte(static_cast<uint8_t>(device.type()));
    return out.varint(static_cast<uint64_t>(device.index() + 1));
  }
  if (value.isGenerator()) {
    const at::Generator generator = value.toGenerator();
    if (!generator.defined()) return out.tag(ValueTag::kNone);
    out.tag(ValueTag::kGenerator);
    return out.varint(generator.current_seed());
  }
  if (value.isComplexDouble()) {
    const c10::complex<double> number = value.toComplexDouble();
    out.tag(ValueTag::kComplex);
    out.number(number.real());
    return out.number(number.imag());
  }
  if (value.isTuple() && depth < trace_format::kMaxListDepth) {
    const auto& elements = value.toTupleRef().elements();
    out.tag(ValueTag::kList);
    out.varint(elements.size());
    for (const c10::IValue& element : elements) this->value(element, role, out, depth + 1);
    return;
  }
  opaque(value, out);
}

bool Encoder::generator_state(const at::Generator& generator, RecordBuffer& out) {
  const at::Tensor state = generator.get_state();
  return state.defined() && capture_.write(state, Interest::kEvidence, out);
}

void Encoder::list(const c10::IValue& value, Role role, RecordBuffer& out, int depth) {
  if (depth >= trace_format::kMaxListDepth) return opaque(value, out);
  const c10::ArrayRef<c10::IValue> items = value.toListRef();
  if (!items.empty() && std::all_of(items.begin(), items.end(), [](const c10::IValue& item) { return item.isInt(); })) {
    out.tag(ValueTag::kInts);
    out.varint(items.size());
    for (const c10::IValue& item : items) out.signed_varint(item.toInt());
    return;
  }
  out.tag(ValueTag::kList);
  out.varint(items.size());
  for (const c10::IValue& item : items) this->value(item, role, out, depth + 1);
}

void Encoder::opaque(const c10::IValue& value, RecordBuffer& out) {
  out.tag(ValueTag::kOpaque);
  if (value.isObject() || value.isCustomClass()) {
    const auto type = value.type();
    return out.string(type->annotation_str());
  }
  out.string(value.tagKind());
}

bool Encoder::is_argument(const c10::TensorImpl* tensor) const {
  // With very many arguments a result counts as one of them, and its identity is found by address and storage.
  return arguments_->size() > kMostArguments || std::find(arguments_->begin(), arguments_->end(), tensor) != arguments_->end();
}

void Encoder::tensor(const at::Tensor& tensor, Role role, RecordBuffer& out) {
  if (!tensor.defined()) return out.tag(ValueTag::kNone);
  if (!is_readable(tensor.unsafeGetTensorImpl())) {
    out.tag(ValueTag::kOpaque);
    return out.string("Tensor subclass");
  }
  out.tag(ValueTag::kTensor);
  body(tensor, role, out);
}

void Encoder::body(const at::Tensor& tensor, Role role, RecordBuffer& out) {
  using namespace trace_format;
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  const std::size_t flags_at = out.mark();
  uint8_t flags = 0;
  out.byte(0);
  out.byte(static_cast<uint8_t>(tensor.scalar_type()));
  const c10::Device device = impl->device();
  saw_cuda_ = saw_cuda_ || device.is_cuda();
  out.byte(static_cast<uint8_t>(device.type()));
  out.varint(static_cast<uint64_t>(device.index() + 1));
  const c10::IntArrayRef sizes = impl->sizes();
  out.varint(sizes.size());
  for (const int64_t size : sizes) out.varint(static_cast<uint64_t>(size));
  const bool is_strided = impl->layout() == c10::kStrided;
  if (!is_strided) {
    flags |= kIsNotStrided;
  } else if (const c10::IntArrayRef strides = impl->strides(); has_dense_strides(sizes, strides)) {
    flags |= kIsContiguous;
  } else {
    for (const int64_t stride : strides) out.signed_varint(stride);
  }
  if (impl->autograd_meta() != nullptr) {  // without it LibTorch answers no to both
    if (impl->requires_grad()) flags |= kRequiresGrad;
    if (tensor.is_view()) flags |= kIsView;
  }
  const bool is_number = impl->is_wrapped_number();
  if (is_number) flags |= kIsWrappedNumber;

  Interest interest = Interest::kNothing;
  if (role == Role::kArgument || role == Role::kViewedArgument || role == Role::kMutatedArgument) interest = is_number ? Interest::kUnknownContent : Interest::kOrdinary;
  if (role == Role::kEvidenceChecked || (role == Role::kEvidence && c10::isIntegralType(tensor.scalar_type(), true))) interest = Interest::kEvidence;
  WeakTable::Entry* storage = nullptr;
  if (impl->has_storage()) {
    flags |= kHasStorage;
    if (is_number && !is_result(role)) {
      // Lives for this call only, and its value is kept: not worth remembering.
      out.varint(identities_.next());
      out.varint(identities_.next());
    } else {
      bool is_new = false;
      storage = &identities_.storage(impl->unsafe_storage().unsafeGetStorageImpl(), is_new);
      if (is_result(role)) {
        if (is_new) storage->is_content_known = role != Role::kOpenResult;
        else if (role == Role::kOpenResult) storage->is_content_known = false;
      } else if ((role == Role::kArgument || role == Role::kViewedArgument) && !storage->is_content_known) {
        interest = Interest::kUnknownContent;
      }
      out.varint(storage->id);
      const bool is_fresh = (role == Role::kResult || role == Role::kOpenResult) && !is_argument(impl);
      out.varint(identities_.tensor(impl, storage->id, is_fresh));
    }
    if (const int64_t offset = impl->storage_offset(); offset != 0) {
      flags |= kHasOffset;
      out.varint(static_cast<uint64_t>(offset));
    }
  } else {
    out.varint(identities_.tensor(impl, 0, false));
  }
  if (!is_result(role)) arguments_->push_back(impl);
  if (!is_strided) {
    out.byte(static_cast<uint8_t>(impl->layout()));
    components(tensor, role, out);
  } else if (interest != Interest::kNothing && capture_.write(tensor, interest, out)) {
    flags |= kHasData;
  }
  if (storage != nullptr && !storage->is_content_known && (role == Role::kMutatedArgument || (role == Role::kArgument && (flags & kHasData)))) {
    // Known from here on if this call writes, or the trace now holds, all of it.
    const auto bytes = static_cast<uint64_t>(impl->numel()) * tensor.dtype().itemsize();
    if (bytes >= impl->unsafe_storage().nbytes()) storage->is_content_known = true;
  }
  out.at(flags_at) = flags;
}

void Encoder::components(const at::Tensor& tensor, Role role, RecordBuffer& out) {
  std::array<at::Tensor, 3> parts;
  std::size_t count = 0;
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (impl->key_set().has_any(c10::sparse_ks)) {
    const auto* sparse = static_cast<const at::SparseTensorImpl*>(impl);
    parts = {sparse->indices(), sparse->values()};
    count = 2;
  } else if (impl->key_set().has_any(c10::sparse_csr_ks)) {
    auto* sparse = static_cast<at::SparseCsrTensorImpl*>(impl);
    parts = {sparse->compressed_indices(), sparse->plain_indices(), sparse->values()};
    count = 3;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!parts[i].defined() || parts[i].layout() != at::kStrided || !is_readable(parts[i].unsafeGetTensorImpl())) count = 0;
  out.varint(count);
  for (std::size_t i = 0; i < count; ++i) body(parts[i], role, out);
}

}  // namespace minrepro
