#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/asserts/evaluate.h"
#include "harness/program/program.h"
#include "reducers/edit.h"

namespace minrepro {

/// The elements of a leaf in logical order. Random fills have no known elements: nullopt, as have views and assembled leaves.
std::optional<std::vector<std::byte>> elements_of(const Leaf& leaf);

/// One call of a program as the assert rules see it: arguments left out have their defaults. Tensors that are leaves come with their data where it is
/// known; results of earlier calls with the shape that `result_metas` says.
class ProgramCallView : public CallView {
 public:
  ProgramCallView(const Program& program, const Call& call, const PassContext& context);

  std::optional<TensorView> tensor(std::string_view argument) const override;
  std::vector<std::optional<TensorView>> tensors(std::string_view argument) const override;
  std::optional<int64_t> integer(std::string_view argument) const override;
  std::vector<int64_t> integers(std::string_view argument) const override;
  std::optional<std::string> text(std::string_view argument) const override;

 private:
  /// What the call says, or the default.
  const Value* find(std::string_view argument) const;
  std::optional<TensorView> view_of(int id) const;

  const Program& program_;
  const Call& call_;
  const PassContext& context_;
  mutable std::map<int, std::vector<std::byte>> data_;
};

/// Where a rule finds its checked tensor in a call: the tensor's id.
struct CheckedTensor {
  const AssertRule* rule = nullptr;
  int list_position = -1;
  int id = -1;
};
/// All checked tensors of a call, over all rules of its operator.
std::vector<CheckedTensor> checked_tensors(const Call& call);

/// An offending element of a leaf: the first that violates a rule.
struct OffendingElement {
  CheckedTensor checked;
  std::vector<int64_t> index;
  std::optional<Bounds> bounds;
};
/// For every checked leaf of every call that violates its rule.
std::vector<OffendingElement> offending_elements(const Program& program, const PassContext& context);

}  // namespace minrepro
