#include "harness/torch/check/call_view.h"

#include <algorithm>

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>

namespace minrepro {
namespace {

const at::SparseTensorImpl& coo(const at::Tensor& tensor) { return static_cast<const at::SparseTensorImpl&>(*tensor.unsafeGetTensorImpl()); }
const at::SparseCsrTensorImpl& csr(const at::Tensor& tensor) { return static_cast<const at::SparseCsrTensorImpl&>(*tensor.unsafeGetTensorImpl()); }

bool is_compressed(const at::Tensor& tensor) {
  const at::Layout layout = tensor.layout();
  return layout == at::kSparseCsr || layout == at::kSparseCsc || layout == at::kSparseBsr || layout == at::kSparseBsc;
}

/// How many columns (rows, if columns are compressed) a compressed tensor has, in blocks.
int64_t plain_size(const at::Tensor& tensor) {
  const at::Layout layout = tensor.layout();
  const bool by_row = layout == at::kSparseCsr || layout == at::kSparseBsr;
  const int64_t batches = csr(tensor).compressed_indices().dim() - 1;
  const int64_t dim = batches + (by_row ? 1 : 0);
  const at::Tensor& values = csr(tensor).values();
  const bool blocks = layout == at::kSparseBsr || layout == at::kSparseBsc;
  const int64_t width = blocks ? values.size(batches + (by_row ? 2 : 1)) : 1;
  return width > 0 ? tensor.size(dim) / width : tensor.size(dim);
}

}  // namespace

std::optional<std::size_t> SchemaCallView::position_of(std::string_view argument) const {
  const auto& declared = schema_.arguments();
  const std::size_t given = std::min(declared.size(), arguments_.size());
  for (std::size_t i = 0; i < given; ++i) {
    if (declared[i].name() == argument) return i;
  }
  return std::nullopt;
}

std::optional<TensorView> SchemaCallView::view_of(const at::Tensor& tensor) const {
  const bool copies = copy_from_device_ && tensor.defined() && tensor.device().is_cuda();
  if (copies) {
    // Several rules ask for the same tensor: one copy serves them all.
    for (const HostTensor& copy : copies_) {
      if (copy.owner.is_same(tensor)) return copy.view;
    }
  }
  std::optional<HostTensor> host = host_tensor(tensor, copy_from_device_);
  if (!host) return std::nullopt;
  if (copies) {
    kept_.push_back(host->owner);
    copies_.push_back({host->view, tensor});
  }
  return std::move(host->view);
}

at::Tensor SchemaCallView::find_tensor(std::string_view argument) const {
  const std::size_t dot = argument.find('.');
  const auto position = position_of(argument.substr(0, dot));
  if (!position || !arguments_[*position].isTensor()) return {};
  const at::Tensor& tensor = arguments_[*position].toTensor();
  if (dot == std::string_view::npos || !tensor.defined()) return tensor;
  const std::string_view component = argument.substr(dot + 1);
  // Asked of the tensors themselves: a call of an operator would be recorded, or run on the device.
  if (component == "indices" && tensor.is_sparse()) return coo(tensor).indices();
  if (component == "compressed_indices" && is_compressed(tensor)) return csr(tensor).compressed_indices();
  if (component == "plain_indices" && is_compressed(tensor)) return csr(tensor).plain_indices();
  return {};
}

std::optional<TensorView> SchemaCallView::tensor(std::string_view argument) const {
  const at::Tensor tensor = find_tensor(argument);
  return tensor.defined() ? view_of(tensor) : std::nullopt;
}

std::optional<std::vector<int64_t>> SchemaCallView::sizes(std::string_view argument) const {
  const at::Tensor tensor = find_tensor(argument);
  return tensor.defined() && !tensor.is_nested() ? std::optional(tensor.sizes().vec()) : std::nullopt;
}

std::vector<std::optional<TensorView>> SchemaCallView::tensors(std::string_view argument) const {
  std::vector<std::optional<TensorView>> views;
  const auto position = position_of(argument);
  if (!position) return views;
  const c10::IValue& value = arguments_[*position];
  if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) views.push_back(view_of(tensor));
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      views.push_back(tensor ? view_of(*tensor) : std::nullopt);
    }
  } else if (value.isList()) {  // a list of Nones only has no tensor to tell its kind by
    views.resize(value.toListRef().size());
  }
  return views;
}

std::optional<int64_t> SchemaCallView::integer(std::string_view argument) const {
  if (const std::size_t dot = argument.find('.'); dot != std::string_view::npos) {
    const at::Tensor tensor = find_tensor(argument.substr(0, dot));
    const std::string_view component = argument.substr(dot + 1);
    if (!tensor.defined()) return std::nullopt;
    if (component == "coalesced" && tensor.is_sparse()) return coo(tensor).coalesced() ? 1 : 0;
    if (component == "plain_size" && is_compressed(tensor)) return plain_size(tensor);
    return std::nullopt;
  }
  const auto position = position_of(argument);
  if (!position) return std::nullopt;
  const c10::IValue& value = arguments_[*position];
  if (value.isInt()) return value.toInt();
  if (value.isBool()) return value.toBool() ? 1 : 0;
  return std::nullopt;
}

std::vector<int64_t> SchemaCallView::integers(std::string_view argument) const {
  const auto position = position_of(argument);
  if (!position || !arguments_[*position].isIntList()) return {};
  return arguments_[*position].toIntVector();
}

std::optional<std::string> SchemaCallView::text(std::string_view argument) const {
  const auto position = position_of(argument);
  if (!position || !arguments_[*position].isString()) return std::nullopt;
  return arguments_[*position].toStringRef();
}

std::string full_name_of(const c10::FunctionSchema& schema) {
  return schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
}

}  // namespace minrepro
