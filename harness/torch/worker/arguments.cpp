#include "harness/torch/worker/arguments.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <fmt/format.h>

#include <mutex>

#include "harness/program/enumerations.h"
#include "harness/torch/worker/devices.h"

namespace minrepro {
namespace {

using c10::IValue;
using c10::TypeKind;

class Converter {
 public:
  Converter(const std::string& device, const Tensors& tensors) : device_(device), tensors_(tensors) {}

  /// `length`: for a list of fixed length ("int[2]"), which takes one number for all.
  Result<IValue> convert(const Value& value, const c10::Type& type, std::optional<int32_t> length) const {
    if (const auto* opaque = value.get_if<OpaqueValue>()) return Error{fmt::format("is an object of type {}, which a program cannot hold", opaque->type)};
    switch (type.kind()) {
      case TypeKind::OptionalType:
        if (value.is<None>()) return IValue();
        return convert(value, *type.expectRef<c10::OptionalType>().getElementType(), length);
      case TypeKind::TensorType: {
        auto tensor = tensor_of(value);
        if (!tensor) return tensor.error();
        return IValue(*tensor);
      }
      case TypeKind::ListType:
        return list(value, *type.expectRef<c10::ListType>().getElementType(), length);
      case TypeKind::IntType:
      case TypeKind::SymIntType:
        return wrap(integer(value));
      case TypeKind::FloatType:
        return wrap(real(value));
      case TypeKind::BoolType:
        return wrap(boolean(value));
      case TypeKind::ComplexType:
        return complex(value);
      case TypeKind::NumberType:
        return wrap(scalar(value));
      case TypeKind::StringType:
        return wrap(string(value));
      case TypeKind::DeviceObjType:
        return device(value);
      case TypeKind::ScalarTypeType:
        if (const auto* dtype = value.get_if<DTypeValue>()) return IValue(static_cast<int64_t>(dtype->dtype));
        return mismatch(type);
      case TypeKind::LayoutType:
        if (const auto* layout = value.get_if<LayoutValue>())
          if (auto number = layout_number(layout->name)) return IValue(*number);
        return mismatch(type);
      case TypeKind::MemoryFormatType:
        if (const auto* format = value.get_if<MemoryFormatValue>())
          if (auto number = memory_format_number(format->name)) return IValue(*number);
        return mismatch(type);
      case TypeKind::GeneratorType:
        if (const auto* generator = value.get_if<GeneratorValue>()) return IValue(make_generator(generator->seed));
        return mismatch(type);
      default:
        return Error{fmt::format("is of type {}, which programs do not have", type.str())};
    }
  }

 private:
  static Error mismatch(const c10::Type& type) { return Error{fmt::format("does not fit the schema's {}", type.str())}; }
  static Error mismatch(std::string_view type) { return Error{fmt::format("does not fit the schema's {}", type)}; }

  template <typename T>
  static Result<IValue> wrap(Result<T> value) {
    if (!value) return value.error();
    return IValue(std::move(*value));
  }

  Result<at::Tensor> tensor_of(const Value& value) const {
    const auto* ref = value.get_if<TensorRef>();
    if (ref == nullptr) return mismatch("Tensor");
    auto found = tensors_.find(ref->id);
    if (found == tensors_.end()) return Error{fmt::format("is tensor {}, which nothing before it makes", ref->id)};
    return found->second;
  }

  static Result<int64_t> integer(const Value& value) {
    if (const auto* number = value.get_if<int64_t>()) return *number;
    if (const auto* flag = value.get_if<bool>()) return int64_t{*flag};
    return mismatch("int");
  }
  static Result<double> real(const Value& value) {
    if (const auto* number = value.get_if<double>()) return *number;
    if (const auto* number = value.get_if<int64_t>()) return static_cast<double>(*number);
    return mismatch("float");
  }
  static Result<bool> boolean(const Value& value) {
    if (const auto* flag = value.get_if<bool>()) return *flag;
    return mismatch("bool");
  }
  static Result<std::string> string(const Value& value) {
    if (const auto* text = value.get_if<std::string>()) return *text;
    return mismatch("str");
  }
  static Result<c10::Scalar> scalar(const Value& value) {
    if (const auto* number = value.get_if<int64_t>()) return c10::Scalar(*number);
    if (const auto* number = value.get_if<double>()) return c10::Scalar(*number);
    if (const auto* flag = value.get_if<bool>()) return c10::Scalar(*flag);
    if (const auto* number = value.get_if<std::complex<double>>()) return c10::Scalar(c10::complex<double>(number->real(), number->imag()));
    return mismatch("Scalar");
  }
  static Result<IValue> complex(const Value& value) {
    if (const auto* number = value.get_if<std::complex<double>>()) return IValue(c10::complex<double>(number->real(), number->imag()));
    auto number = real(value);
    if (!number) return mismatch("complex");
    return IValue(c10::complex<double>(*number, 0));
  }

  Result<IValue> device(const Value& value) const {
    const auto* device = value.get_if<DeviceValue>();
    if (device == nullptr) return mismatch("Device");
    const auto resolved = Devices::resolve(device->name, device_);
    if (!resolved) return Error{fmt::format("names the unknown device '{}'", device->name)};
    return IValue(*resolved);
  }

  /// The simulated device draws from CPU generators.
  at::Generator make_generator(uint64_t seed) const {
    if (!device_.starts_with("cuda")) return at::make_generator<at::CPUGeneratorImpl>(seed);
    at::Generator generator = at::detail::getCUDAHooks().getNewGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
    return generator;
  }

  template <typename T, typename Item>
  static Result<IValue> list_of(const Value::List& items, Item&& item) {
    c10::List<T> list;
    list.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      auto converted = item(items[i]);
      if (!converted) return Error{fmt::format("[{}] {}", i, converted.error().message)};
      list.push_back(std::move(*converted));
    }
    return IValue(std::move(list));
  }

  Result<IValue> list(const Value& value, const c10::Type& element, std::optional<int32_t> length) const {
    Value::List repeated;
    const auto* items = value.get_if<Value::List>();
    if (items == nullptr) {
      if (!length || *length <= 0 || *length > 64) return mismatch(fmt::format("list of {}", element.str()));
      repeated.assign(static_cast<std::size_t>(*length), value);
      items = &repeated;
    }
    switch (element.kind()) {
      case TypeKind::TensorType:
        return list_of<at::Tensor>(*items, [this](const Value& v) { return tensor_of(v); });
      case TypeKind::OptionalType:
        if (element.expectRef<c10::OptionalType>().getElementType()->kind() != TypeKind::TensorType) break;
        return list_of<std::optional<at::Tensor>>(*items, [this](const Value& v) -> Result<std::optional<at::Tensor>> {
          if (v.is<None>()) return std::optional<at::Tensor>();
          auto tensor = tensor_of(v);
          if (!tensor) return tensor.error();
          return std::optional<at::Tensor>(*tensor);
        });
      case TypeKind::IntType:
      case TypeKind::SymIntType:
        return list_of<int64_t>(*items, integer);
      case TypeKind::FloatType:
        return list_of<double>(*items, real);
      case TypeKind::BoolType:
        return list_of<bool>(*items, boolean);
      case TypeKind::NumberType:
        return list_of<c10::Scalar>(*items, scalar);
      case TypeKind::StringType:
        return list_of<std::string>(*items, string);
      default:
        break;
    }
    return Error{fmt::format("is a list of {}, which programs do not have", element.str())};
  }

  const std::string& device_;
  const Tensors& tensors_;
};

}  // namespace

Result<std::vector<IValue>> arguments_of(const Call& call, const c10::FunctionSchema& schema, const std::string& device, const Tensors& tensors) {
  const Converter converter(device, tensors);
  std::vector<IValue> arguments;
  arguments.reserve(schema.arguments().size() + schema.returns().size());
  std::size_t used = 0;
  for (const c10::Argument& wanted : schema.arguments()) {
    const Value* value = call.find(wanted.name());
    if (value == nullptr) {
      if (wanted.default_value()) arguments.push_back(*wanted.default_value());
      else if (wanted.type()->kind() == TypeKind::OptionalType) arguments.emplace_back();
      else return Error{fmt::format("argument '{}' is missing", wanted.name())};
      continue;
    }
    ++used;
    auto converted = converter.convert(*value, *wanted.real_type(), wanted.N());
    if (!converted) return Error{fmt::format("argument '{}' {}", wanted.name(), converted.error().message)};
    arguments.push_back(std::move(*converted));
  }
  if (used == call.args.size()) return arguments;
  for (const Argument& given : call.args)
    if (!schema.argumentIndexWithName(given.name)) return Error{fmt::format("there is no argument '{}'", given.name)};
  return Error{"an argument is given twice"};
}

}  // namespace minrepro
