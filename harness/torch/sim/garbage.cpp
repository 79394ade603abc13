#include "harness/torch/sim/garbage.h"

#include <string_view>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <ATen/record_function.h>

#include "harness/asserts/bounds.h"
#include "harness/asserts/elements.h"
#include "harness/torch/check/call_view.h"
#include "harness/torch/sim/alias.h"

namespace minrepro::sim {
namespace {

using asserts::for_each_element;

bool element_is_valid(const AssertRule& rule, const std::optional<Bounds>& bounds, DType dtype, const void* element) {
  const bool integral = is_integral(dtype);
  return is_valid(rule, bounds, integral ? read_integer(dtype, element) : 0, integral ? 0.0 : read_real(dtype, element), integral);
}

enum class Outcome { kValid, kReplaced, kHopeless };

/// `tensor` becomes a copy without offending elements, if it has any.
Outcome make_tensor_valid(const AssertRule& rule, const CallView& call, int list_position, at::Tensor& tensor) {
  const std::optional<HostTensor> host = host_tensor(tensor);
  if (!host || host->view.data == nullptr) return Outcome::kValid;
  const std::optional<Bounds> bounds = bounds_of(rule, call, list_position);
  if (rule.domain == Domain::kIndex && !bounds) return Outcome::kValid;
  const bool as_a_whole = judges_as_a_whole(rule) && check(rule, call).has_value();
  bool offends = as_a_whole;
  for_each_element(host->view, [&](const std::vector<int64_t>&, const char* element) {
    offends = offends || !element_is_valid(rule, bounds, host->view.dtype, element);
    return !offends;
  });
  if (!offends) return Outcome::kValid;
  const std::optional<double> valid = valid_value(rule, bounds);
  if (!valid) return Outcome::kHopeless;

  // Copied under the device's feet: this is no launch.
  at::DisableRecordFunctionGuard unrecorded;
  at::AutoDispatchBelowAutograd below_autograd;
  AliasSet aliases;
  at::Tensor copy = aliases.to_sim(aliases.to_cpu(tensor).clone(at::MemoryFormat::Contiguous));
  const std::optional<HostTensor> copied = host_tensor(copy);
  for_each_element(copied->view, [&](const std::vector<int64_t>&, const char* element) {
    if (as_a_whole || !element_is_valid(rule, bounds, copied->view.dtype, element)) {
      write_real(copied->view.dtype, *valid, const_cast<char*>(element));
    }
    return true;
  });
  tensor = copy;
  return Outcome::kReplaced;
}

}  // namespace

std::vector<int64_t> offending_elements(const AssertRule& rule, const Violation& violation, const CallView& call, int at_most) {
  std::vector<int64_t> found;
  const std::optional<Bounds> bounds = bounds_of(rule, call, violation.list_position);
  for (std::string_view name : asserts::alternatives(rule.argument)) {
    std::optional<TensorView> view;
    if (violation.list_position < 0) {
      view = call.tensor(name);
    } else if (auto views = call.tensors(name); static_cast<std::size_t>(violation.list_position) < views.size()) {
      view = views[static_cast<std::size_t>(violation.list_position)];
    }
    if (!view) continue;
    int64_t position = 0;
    for_each_element(*view, [&](const std::vector<int64_t>&, const char* element) {
      if (!element_is_valid(rule, bounds, view->dtype, element)) found.push_back(position);
      ++position;
      return static_cast<int>(found.size()) < at_most;
    });
    return found;
  }
  return found;
}

bool make_valid(const AssertRule& rule, const c10::FunctionSchema& schema, torch::jit::Stack* stack, std::size_t base) {
  const c10::ArrayRef<c10::IValue> arguments = c10::ArrayRef<c10::IValue>(*stack).slice(base);
  const SchemaCallView call(schema, arguments);
  for (std::string_view name : asserts::alternatives(rule.argument)) {
    // What a sparse tensor is made of cannot be exchanged without making another tensor.
    if (name.find('.') != std::string_view::npos && call.sizes(name)) return !check(rule, call);
    const auto position = call.position_of(name);
    if (!position) continue;
    const c10::AliasInfo* alias = schema.arguments()[*position].alias_info();
    if (alias != nullptr && alias->isWrite()) return !rule.no_stand_in;
    c10::IValue& value = (*stack)[base + *position];
    if (value.isTensor()) {
      at::Tensor tensor = value.toTensor();
      const Outcome outcome = make_tensor_valid(rule, call, -1, tensor);
      if (outcome == Outcome::kReplaced) value = tensor;
      return outcome != Outcome::kHopeless;
    }
    if (!value.isOptionalTensorList() && !value.isTensorList()) continue;
    std::vector<c10::IValue> elements = value.toListRef().vec();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!elements[i].isTensor()) continue;
      at::Tensor tensor = elements[i].toTensor();
      const Outcome outcome = make_tensor_valid(rule, call, static_cast<int>(i), tensor);
      if (outcome == Outcome::kHopeless) return false;
      elements[i] = tensor;
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> replaced;
      for (const c10::IValue& element : elements) replaced.push_back(element.toTensor());
      value = replaced;
    } else {
      c10::List<std::optional<at::Tensor>> replaced;
      for (const c10::IValue& element : elements) {
        replaced.push_back(element.isTensor() ? std::optional<at::Tensor>(element.toTensor()) : std::nullopt);
      }
      value = replaced;
    }
    return true;
  }
  return true;
}

}  // namespace minrepro::sim
