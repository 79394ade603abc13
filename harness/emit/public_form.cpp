#include "harness/emit/public_form.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "harness/emit/names.h"

namespace minrepro::emit {
namespace {

/// The name in C++: no namespace, no overload.
std::string_view base_name(const Schema& schema) { return without_overload(schema.name).substr(std::string_view("aten::").size()); }

/// Position of "dtype" if the four arguments that C++ takes as one TensorOptions follow each other; -1 if not.
int options_position(const Schema& schema) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMembers = {
      {{"dtype", "ScalarType"}, {"layout", "Layout"}, {"device", "Device"}, {"pin_memory", "bool"}}};
  for (std::size_t i = 0; i + kMembers.size() <= schema.arguments.size(); ++i) {
    const bool here = std::equal(kMembers.begin(), kMembers.end(), schema.arguments.begin() + static_cast<std::ptrdiff_t>(i),
                                 [](const auto& member, const SchemaArgument& argument) {
                                   return argument.name == member.first && std::string_view(argument.type).starts_with(member.second);
                                 });
    if (here) return static_cast<int>(i);
  }
  return -1;
}

/// Types of arguments that the emitter can write in C++.
bool is_known(std::string_view type) {
  while (type.ends_with('?')) type.remove_suffix(1);
  if (type.ends_with(']')) type = type.substr(0, type.rfind('['));
  if (type.ends_with('?')) type.remove_suffix(1);
  static constexpr std::array<std::string_view, 16> kKnown = {"Tensor", "int", "SymInt", "float", "bool", "SymBool", "complex", "Scalar", "number",
                                                              "str", "Device", "ScalarType", "Layout", "MemoryFormat", "Generator", "Device"};
  return std::find(kKnown.begin(), kKnown.end(), type) != kKnown.end();
}

/// clamp(None, None) could be of scalars or of tensors.
bool leaves_overload_open(const Schema& schema, const Call& call) {
  const SchemaArgument* min = schema.find("min");
  const SchemaArgument* max = schema.find("max");
  const bool limits = base_name(schema).starts_with("cl") && min != nullptr && max != nullptr;
  return limits && value_of(call, *min).is<None>() && value_of(call, *max).is<None>();
}

}  // namespace

bool is_out(const SchemaArgument& argument) { return argument.keyword_only && argument.mutated; }

Value value_of(const Call& call, const SchemaArgument& argument) {
  if (const Value* given = call.find(argument.name)) return *given;
  return argument.default_value.value_or(Value());
}

PublicForm public_form_of(const Schema& schema, const Call& call) {
  PublicForm form;
  const bool known = std::all_of(schema.arguments.begin(), schema.arguments.end(), [&](const SchemaArgument& argument) {
    return is_known(argument.type) || (call.find(argument.name) == nullptr && argument.default_value.has_value());
  });
  if (!schema.name.starts_with("aten::") || !(schema.has_function || schema.has_method) || !known || has_mixed_results(schema)) return form;
  if (leaves_overload_open(schema, call)) return form;
  const auto self = std::find_if(schema.arguments.begin(), schema.arguments.end(), [](const SchemaArgument& a) { return a.name == "self" && a.type == "Tensor"; });
  const bool method = schema.has_method && self != schema.arguments.end() && (self == schema.arguments.begin() || !schema.has_function);
  if (!method && !schema.has_function) return form;
  form.form = method ? Form::kMethod : Form::kFunction;
  const bool has_out = std::any_of(schema.arguments.begin(), schema.arguments.end(), is_out);
  const std::string name = std::string(base_name(schema)) + (has_out ? "_out" : "");
  // torch::normal is the factory only; it hides at::normal.
  const char* space = name == "normal" && schema.name != "aten::normal.float_float" ? "at::" : "torch::";
  form.name = method ? name : space + name;
  form.options = options_position(schema);
  for (std::size_t i = 0; i < schema.arguments.size(); ++i)
    if (is_out(schema.arguments[i])) form.order.push_back(i);
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    const bool in_options = form.options >= 0 && static_cast<int>(i) > form.options && static_cast<int>(i) < form.options + 4;
    const bool is_self = method && &schema.arguments[i] == &*self;
    if (!is_out(schema.arguments[i]) && !in_options && !is_self) form.order.push_back(i);
  }
  return form;
}

bool has_to_be_written(const Schema& schema, const std::string& argument) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRows = {{
      {"all", "dim"}, {"any", "dim"}, {"arange", "step"}, {"clamp", "min"}, {"clamp_", "min"}, {"clip", "min"}, {"clip_", "min"},
      {"std", "unbiased"}, {"var", "unbiased"}, {"std_mean", "unbiased"}, {"var_mean", "unbiased"}}};
  const std::string_view name = base_name(schema);
  // index_put_ is also one of at::Tensor's own, which slices first.
  if (argument == "accumulate" && (name == "index_put_" || name == "index_put")) return true;
  const bool correction = argument == "correction" && (name.starts_with("std") || name.starts_with("var"));
  return correction || std::find(kRows.begin(), kRows.end(), std::pair<std::string_view, std::string_view>(name, argument)) != kRows.end();
}

bool needs_typed_values(const Schema& schema) {
  static constexpr std::array<std::string_view, 17> kNames = {"all", "any", "random", "random_", "mean", "sum", "squeeze", "squeeze_", "split",
                                                              "unsafe_split", "split_copy", "tensor_split", "hsplit", "vsplit", "dsplit", "std", "var"};
  const std::string_view name = base_name(schema);
  // at::Tensor has an index of its own that takes numbers and slices.
  if (schema.name == "aten::index.Tensor") return true;
  return name.starts_with("_foreach_") || name.starts_with("upsample_") || name.starts_with("_upsample_") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace minrepro::emit
