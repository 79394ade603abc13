#include "harness/emit/value_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "harness/emit/leaf_cpp.h"
#include "harness/emit/literals.h"
#include "harness/emit/wrap.h"

namespace minrepro::emit {
namespace {

class ValueWriter {
 public:
  ValueWriter(Target target, const Program& program, const Spellings& spellings) : target_(target), program_(program), spellings_(spellings) {}

  Result<std::string> write(const Value& value, std::string_view type) const {
    const bool optional = type.ends_with('?');
    if (optional) type.remove_suffix(1);
    if (value.is<None>()) {
      if (optional && target_ == Target::kStack) return std::string("c10::IValue()");
      if (optional && target_ == Target::kTypedValues && type == "float[]") return std::string("std::optional<torch::ArrayRef<double>>()");
      if (optional && target_ == Target::kTypedValues && type.starts_with("int[")) return std::string("torch::OptionalIntArrayRef()");
      // random_(1, std::nullopt) may be random_(from, to) or random_(to, generator).
      if (optional && target_ == Target::kTypedValues && (type == "int" || type == "SymInt")) return std::string("std::optional<int64_t>()");
      if (optional) return std::string("std::nullopt");
      return Error{fmt::format("is None, the schema asks for {}", type)};
    }
    if (type.ends_with(']')) return list(repeated(value, type), type.substr(0, type.rfind('[')), optional);
    return one(value, type);
  }

 private:
  Result<std::string> one(const Value& value, std::string_view type) const {
    if (const auto* ref = value.get_if<TensorRef>()) {
      const auto found = spellings_.find(ref->id);
      if (found == spellings_.end()) return Error{fmt::format("is tensor {}, which nothing before it makes", ref->id)};
      return found->second;
    }
    const bool integer = type == "int" || type == "SymInt";
    const bool real = type == "float";
    if (const auto* number = value.get_if<int64_t>()) return real ? real_literal(static_cast<double>(*number)) : cpp_integer(*number);
    if (const auto* number = value.get_if<double>()) {
      if (integer || type == "bool") return Error{fmt::format("is a float, the schema asks for {}", type)};
      return real_literal(*number);
    }
    if (const auto* flag = value.get_if<bool>()) return std::string(integer ? (*flag ? "1" : "0") : (*flag ? "true" : "false"));
    if (const auto* number = value.get_if<std::complex<double>>()) return cpp_complex(*number);
    if (const auto* text = value.get_if<std::string>()) return string_literal(*text);
    if (const auto* device = value.get_if<DeviceValue>()) {
      const std::string text = device_cpp(device->name, program_);
      // "torch::kCPU" is only a type of device to an IValue.
      return target_ == Target::kStack && text.starts_with("torch::k") ? fmt::format("torch::Device({})", text) : text;
    }
    if (const auto* dtype = value.get_if<DTypeValue>()) return cpp_dtype(dtype->dtype);
    if (const auto* layout = value.get_if<LayoutValue>()) return cpp_layout(layout->name);
    if (const auto* format = value.get_if<MemoryFormatValue>()) return cpp_memory_format(format->name);
    if (const auto* generator = value.get_if<GeneratorValue>()) return fmt::format("make_generator(device, {})", cpp_unsigned(generator->seed));
    if (const auto* opaque = value.get_if<OpaqueValue>()) return Error{fmt::format("is an object of type {}, which a program cannot hold", opaque->type)};
    return Error{fmt::format("is a list, the schema asks for {}", type)};
  }

  Result<std::string> list(const Value& value, std::string_view element, bool optional) const {
    const auto* items = value.get_if<Value::List>();
    if (items == nullptr) return Error{fmt::format("is no list, the schema asks for {}[]", element)};
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < items->size(); ++i) {
      // Elements of a list of optional tensors are no IValues.
      auto text = (*items)[i].is<None>() && element.ends_with('?') ? Result<std::string>(std::string("std::nullopt")) : write((*items)[i], element);
      if (!text) return Error{fmt::format("[{}] {}", i, text.error().message)};
      texts.push_back(std::move(*text));
    }
    const std::string inside = joined(texts);
    if (target_ == Target::kStack) {
      const std::string type = fmt::format("c10::List<{}>", element_type(element));
      return texts.empty() ? type + "()" : fmt::format("{}({{{}}})", type, inside);
    }
    // C++ finds no type for an empty list, nor for the list of an optional list unless that is of integers; {2} may be a number, {0, 1} a pointer and a length.
    const bool integers = element == "int" || element == "SymInt";
    const bool open = !integers || texts.size() == 1 || (texts.size() == 2 && texts.front() == "0");
    const bool typed = texts.empty() || (target_ == Target::kTypedValues && open) || (optional && !integers);
    if (element == "Tensor?" && target_ == Target::kTypedValues) return fmt::format("c10::List<{}>({{{}}})", element_type(element), inside);
    if (!typed || element == "Tensor?" || element == "bool") return "{" + inside + "}";
    if (element == "Tensor") return texts.empty() ? "torch::TensorList()" : fmt::format("torch::TensorList({{{}}})", inside);
    const std::string type = integers ? "torch::IntArrayRef" : fmt::format("torch::ArrayRef<{}>", element_type(element));
    return texts.empty() ? type + "()" : fmt::format("{}({{{}}})", type, inside);
  }

  static std::string element_type(std::string_view element) {
    if (element == "Tensor") return "at::Tensor";
    if (element == "Tensor?") return "std::optional<at::Tensor>";
    if (element == "float") return "double";
    if (element == "bool") return "bool";
    if (element == "Scalar" || element == "number") return "c10::Scalar";
    if (element == "str") return "std::string";
    return "int64_t";
  }

  Target target_;
  const Program& program_;
  const Spellings& spellings_;
};

}  // namespace

Result<std::string> value_cpp(const Value& value, std::string_view type, Target target, const Program& program, const Spellings& spellings) {
  return ValueWriter(target, program, spellings).write(value, type);
}

bool is_bare(const Value& value) {
  if (const auto* list = value.get_if<Value::List>()) return std::all_of(list->begin(), list->end(), is_bare);
  return value.is<None>() || value.is<int64_t>() || value.is<double>() || value.is<bool>() || value.is<std::complex<double>>();
}

Value repeated(const Value& value, std::string_view type) {
  if (value.is<Value::List>() || value.is<None>()) return value;
  const std::size_t open = type.rfind('[');
  std::size_t count = 0;
  if (open != std::string_view::npos) std::from_chars(type.data() + open + 1, type.data() + type.size(), count);
  if (count == 0 || count > 64) return value;
  return Value::List(count, value);
}

}  // namespace minrepro::emit
