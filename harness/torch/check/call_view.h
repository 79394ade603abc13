#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "harness/asserts/evaluate.h"
#include "harness/torch/check/tensor_view.h"

namespace minrepro {

/// The arguments of a dispatched call as the assert rules read them: looked up by schema name, never by position. Refers to `schema` and
/// `arguments`, which have to outlive it. Keeps copies of CUDA tensors alive until it goes. Not for use from several threads at once.
/// Sparse arguments have components by name: "self.indices" and the integer "self.coalesced" of a COO tensor, "self.compressed_indices",
/// "self.plain_indices" and the integer "self.plain_size" (of the dimension that is not compressed, in blocks) of a compressed one.
class SchemaCallView : public CallView {
 public:
  SchemaCallView(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments, bool copy_from_device = true)
      : schema_(schema), arguments_(arguments), copy_from_device_(copy_from_device) {}

  std::optional<TensorView> tensor(std::string_view argument) const override;
  std::optional<std::vector<int64_t>> sizes(std::string_view argument) const override;
  std::vector<std::optional<TensorView>> tensors(std::string_view argument) const override;
  std::optional<int64_t> integer(std::string_view argument) const override;
  std::vector<int64_t> integers(std::string_view argument) const override;
  std::optional<std::string> text(std::string_view argument) const override;

  /// Position of the argument with this name; nullopt if the schema has none.
  std::optional<std::size_t> position_of(std::string_view argument) const;
  /// Precondition: the schema has so many arguments.
  const std::string& name_of(std::size_t position) const { return schema_.arguments()[position].name(); }

 private:
  std::optional<TensorView> view_of(const at::Tensor& tensor) const;
  at::Tensor find_tensor(std::string_view argument) const;  ///< undefined if there is none

  const c10::FunctionSchema& schema_;
  c10::ArrayRef<c10::IValue> arguments_;
  bool copy_from_device_;
  mutable std::vector<HostTensor> copies_;  ///< for each CUDA tensor that was asked for: the view of its copy, and itself as the key
  mutable std::vector<at::Tensor> kept_;    ///< the copies
};

/// "aten::scatter_.value": the operator with its overload.
std::string full_name_of(const c10::FunctionSchema& schema);

}  // namespace minrepro
