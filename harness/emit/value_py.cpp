#include "harness/emit/value_py.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "harness/emit/literals.h"
#include "harness/emit/value_cpp.h"
#include "harness/emit/wrap.h"

namespace minrepro::emit {
namespace {

std::string layout_py(std::string_view name) { return name == "sparse" ? "torch.sparse_coo" : name == "mkldnn" ? "torch._mkldnn" : fmt::format("torch.{}", name); }

Result<std::string> one(const Value& value, std::string_view type, const Program& program, const Spellings& spellings) {
  if (const auto* ref = value.get_if<TensorRef>()) {
    const auto found = spellings.find(ref->id);
    if (found == spellings.end()) return Error{fmt::format("is tensor {}, which nothing before it makes", ref->id)};
    return found->second;
  }
  const bool integer = type == "int" || type == "SymInt";
  if (const auto* number = value.get_if<int64_t>()) return type == "float" ? real_literal(static_cast<double>(*number)) : fmt::format("{}", *number);
  if (const auto* number = value.get_if<double>()) {
    if (integer || type == "bool") return Error{fmt::format("is a float, the schema asks for {}", type)};
    return real_literal(*number);
  }
  if (const auto* flag = value.get_if<bool>()) return std::string(integer ? (*flag ? "1" : "0") : (*flag ? "True" : "False"));
  if (const auto* number = value.get_if<std::complex<double>>()) return py_complex(*number);
  if (const auto* text = value.get_if<std::string>()) return string_literal(*text);
  if (const auto* device = value.get_if<DeviceValue>()) return device_py(device->name, program);
  if (const auto* dtype = value.get_if<DTypeValue>()) return py_dtype(dtype->dtype);
  if (const auto* layout = value.get_if<LayoutValue>()) return layout_py(layout->name);
  if (const auto* format = value.get_if<MemoryFormatValue>()) return fmt::format("torch.{}", format->name);
  if (const auto* generator = value.get_if<GeneratorValue>()) return fmt::format("make_generator({})", generator->seed);
  if (const auto* opaque = value.get_if<OpaqueValue>()) return Error{fmt::format("is an object of type {}, which a program cannot hold", opaque->type)};
  return Error{fmt::format("is a list, the schema asks for {}", type)};
}

}  // namespace

Result<std::string> value_py(const Value& value, std::string_view type, const Program& program, const Spellings& spellings) {
  const bool optional = type.ends_with('?');
  if (optional) type.remove_suffix(1);
  if (value.is<None>()) {
    if (optional) return std::string("None");
    return Error{fmt::format("is None, the schema asks for {}", type)};
  }
  if (!type.ends_with(']')) return one(value, type, program, spellings);
  const Value list = repeated(value, type);
  const auto* items = list.get_if<Value::List>();
  if (items == nullptr) return Error{fmt::format("is no list, the schema asks for {}", type)};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < items->size(); ++i) {
    auto text = value_py((*items)[i], type.substr(0, type.rfind('[')), program, spellings);
    if (!text) return Error{fmt::format("[{}] {}", i, text.error().message)};
    texts.push_back(std::move(*text));
  }
  return "[" + joined(texts) + "]";
}

std::string device_py(const std::string& name, const Program& program) {
  const std::size_t colon = name.find(':');
  const std::string base = name.substr(0, colon);
  if (base == "meta") return "\"meta\"";
  if (base == "cpu" && program.device != "cpu") return "\"cpu\"";
  if (colon == std::string::npos || name == program.device || program.device == "cpu") return "device";
  return fmt::format("torch.device(device.type, {})", name.substr(colon + 1));
}

}  // namespace minrepro::emit
