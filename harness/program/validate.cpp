#include "harness/program/validate.h"

#include <fmt/core.h>

#include <limits>
#include <map>
#include <set>

#include "harness/program/enumerations.h"

namespace minrepro {
namespace {

/// What a Value is, in words for an error.
std::string kind_of(const Value& value) {
  struct Name {
    std::string operator()(const None&) const { return "None"; }
    std::string operator()(const TensorRef&) const { return "a tensor"; }
    std::string operator()(int64_t) const { return "an integer"; }
    std::string operator()(double) const { return "a float"; }
    std::string operator()(const std::complex<double>&) const { return "a complex number"; }
    std::string operator()(bool) const { return "a bool"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const DeviceValue&) const { return "a device"; }
    std::string operator()(const DTypeValue&) const { return "a dtype"; }
    std::string operator()(const LayoutValue&) const { return "a layout"; }
    std::string operator()(const MemoryFormatValue&) const { return "a memory format"; }
    std::string operator()(const GeneratorValue&) const { return "a generator"; }
    std::string operator()(const OpaqueValue& v) const { return fmt::format("an object of type {}, which a program cannot hold", v.type); }
    std::string operator()(const Value::List&) const { return "a list"; }
  };
  return std::visit(Name{}, value.data);
}

/// Whether a value may stand for a schema type ("Tensor?[]", "SymInt[2]", "Scalar", …). Types that only TorchScript has fit nothing.
bool fits(const Value& value, std::string_view type) {
  if (type.ends_with('?')) return value.is<None>() || fits(value, type.substr(0, type.size() - 1));
  if (type.ends_with(']')) {
    const std::string_view element = type.substr(0, type.rfind('['));
    const bool fixed = type[type.size() - 2] != '[';
    const auto* list = value.get_if<Value::List>();
    if (!list) return fixed && fits(value, element);               // "int[2] stride" takes one integer for all
    for (const Value& item : *list)
      if (!fits(item, element)) return false;
    return true;
  }
  if (type == "Tensor") return value.is<TensorRef>();
  if (type == "int" || type == "SymInt") return value.is<int64_t>() || value.is<bool>();
  if (type == "float") return value.is<double>() || value.is<int64_t>();
  if (type == "bool" || type == "SymBool") return value.is<bool>();
  if (type == "complex") return value.is<std::complex<double>>() || value.is<double>() || value.is<int64_t>();
  if (type == "Scalar" || type == "number") return value.is<int64_t>() || value.is<double>() || value.is<bool>() || value.is<std::complex<double>>();
  if (type == "str") return value.is<std::string>();
  if (type == "Device") return value.is<DeviceValue>();
  if (type == "ScalarType") return value.is<DTypeValue>();
  if (type == "Layout") return value.is<LayoutValue>() && layout_number(value.get_if<LayoutValue>()->name);
  if (type == "MemoryFormat") return value.is<MemoryFormatValue>() && memory_format_number(value.get_if<MemoryFormatValue>()->name);
  if (type == "Generator") return value.is<GeneratorValue>();
  return false;
}

class Checker {
 public:
  Checker(const Program& program, const OpCatalog& catalog) : program_(program), catalog_(catalog) {}

  Status run() {
    for (std::size_t i = 0; i < program_.leaves.size(); ++i)
      if (Status status = leaf(program_.leaves[i], fmt::format("leaves[{}]", i)); !status) return status;
    if (program_.calls.empty()) return Error{"calls: there are none; a program runs at least one"};
    for (std::size_t i = 0; i < program_.calls.size(); ++i)
      if (Status status = call(program_.calls[i], fmt::format("calls[{}]: {}", i, program_.calls[i].op)); !status) return status;
    return {};
  }

 private:
  /// Elements of storage that sizes, strides and offset reach; nullopt on overflow.
  static std::optional<int64_t> extent(const TensorMeta& meta, int64_t offset) {
    if (numel(meta.sizes) == 0) return offset;
    int64_t last = offset;
    for (std::size_t i = 0; i < meta.sizes.size(); ++i) {
      int64_t step = 0;
      if (__builtin_mul_overflow(meta.sizes[i] - 1, meta.strides[i], &step) || __builtin_add_overflow(last, step, &last)) return std::nullopt;
    }
    return last == std::numeric_limits<int64_t>::max() ? std::nullopt : std::optional(last + 1);
  }

  static bool is_device(const std::string& name) {
    const std::string base = name.substr(0, name.find(':'));
    return base == "cpu" || base == "sim" || base == "cuda" || base == "meta";
  }

  Status leaf(const Leaf& leaf, const std::string& place) {
    const TensorMeta& meta = leaf.meta;
    if (!ids_.insert(leaf.id).second) return Error{fmt::format("{}: id {} is used twice", place, leaf.id)};
    for (const int64_t size : meta.sizes)
      if (size < 0) return Error{fmt::format("{}.shape: {} is negative", place, size)};
    if (!layout_number(meta.layout)) return Error{fmt::format("{}.layout: '{}' is no layout", place, meta.layout)};
    if (leaf.device && !is_device(*leaf.device)) return Error{fmt::format("{}.device: '{}' is none of cpu, sim, cuda, meta", place, *leaf.device)};
    if (numel(meta.sizes) == std::numeric_limits<int64_t>::max()) return Error{fmt::format("{}.shape: more elements than 64 bits count", place)};
    if (!leaf.components.empty()) return assembled(leaf, place);
    if (meta.layout != "strided") return Error{fmt::format("{}: a {} tensor needs 'components'", place, meta.layout)};
    if (meta.strides.size() != meta.sizes.size())
      return Error{fmt::format("{}.strides: {} of them for {} dimensions", place, meta.strides.size(), meta.sizes.size())};
    for (const int64_t stride : meta.strides)
      if (stride < 0) return Error{fmt::format("{}.strides: {} is negative", place, stride)};
    const int64_t offset = leaf.view ? leaf.view->storage_offset : 0;
    const std::optional<int64_t> reach = extent(meta, offset);
    if (offset < 0 || !reach) return Error{fmt::format("{}: shape, strides and offset reach past 64 bits", place)};
    if (leaf.view) {
      const auto base = extents_.find(leaf.view->base);
      if (base == extents_.end()) return Error{fmt::format("{}.view_of: {} is no earlier strided leaf", place, leaf.view->base)};
      if (*reach * size_of(meta.dtype) > base->second) return Error{fmt::format("{}: the view reaches past the end of leaf {}", place, leaf.view->base)};
      if (program_.find_leaf(leaf.view->base)->meta.dtype != meta.dtype)
        return Error{fmt::format("{}.dtype: a view has its base's element type", place)};
      extents_[leaf.id] = base->second;
      return {};
    }
    if (*reach > kMaxLeafBytes / size_of(meta.dtype) || (bytes_ += *reach * size_of(meta.dtype)) > kMaxLeafBytes)
      return Error{fmt::format("{}: the leaves take more than {} GiB together; make the shapes smaller", place, kMaxLeafBytes >> 30)};
    extents_[leaf.id] = *reach * size_of(meta.dtype);
    if (const auto* values = std::get_if<ValuesFill>(&leaf.fill)) {
      const auto given = static_cast<int64_t>(values->bytes ? values->bytes->size() : 0);
      const int64_t wanted = numel(meta.sizes) * size_of(meta.dtype);
      if (given != wanted)
        return Error{fmt::format("{}.values: {} elements, the shape asks for {}", place, given / size_of(meta.dtype), numel(meta.sizes))};
    }
    return {};
  }

  Status assembled(const Leaf& leaf, const std::string& place) {
    const std::size_t wanted = leaf.meta.layout == "sparse" ? 2 : leaf.meta.layout.starts_with("sparse_") ? 3 : 0;
    if (leaf.components.size() != wanted)
      return Error{fmt::format("{}.components: {} of them; a {} tensor has {}", place, leaf.components.size(), leaf.meta.layout, wanted)};
    for (const int id : leaf.components)
      if (!extents_.contains(id)) return Error{fmt::format("{}.components: {} is no earlier strided leaf", place, id)};
    return {};
  }

  Status call(const Call& call, const std::string& place) {
    const Schema* schema = catalog_.find(call.op);
    if (!schema) return Error{fmt::format("{}: torch {} has no such operator", place, catalog_.torch_version())};
    if (opens_files(call.op)) return Error{fmt::format("{}: it opens files, which a program must not", place)};
    std::set<std::string> given;
    for (const Argument& arg : call.args) {
      const SchemaArgument* wanted = schema->find(arg.name);
      if (!wanted) return Error{fmt::format("{}: there is no argument '{}'", place, arg.name)};
      if (!given.insert(arg.name).second) return Error{fmt::format("{}: argument '{}' is given twice", place, arg.name)};
      if (!fits(arg.value, wanted->type))
        return Error{fmt::format("{}: argument '{}' is {}, the schema asks for {}", place, arg.name, kind_of(arg.value), wanted->type)};
      for (const int id : tensors_in(arg.value))
        if (!ids_.contains(id)) return Error{fmt::format("{}: argument '{}' is tensor {}, which nothing before it makes", place, arg.name, id)};
    }
    for (const SchemaArgument& argument : schema->arguments)
      if (!argument.default_value && !argument.type.ends_with('?') && !given.contains(argument.name))
        return Error{fmt::format("{}: argument '{}' ({}) is missing", place, argument.name, argument.type)};
    for (const int id : call.results)
      if (id >= 0 && !ids_.insert(id).second) return Error{fmt::format("{}: result id {} is used twice", place, id)};
    return {};
  }

  const Program& program_;
  const OpCatalog& catalog_;
  std::set<int> ids_;
  std::map<int, int64_t> extents_;   ///< strided leaves: bytes of their storage
  int64_t bytes_ = 0;
};

}  // namespace

bool opens_files(std::string_view op) { return op == "aten::from_file" || op.starts_with("aten::from_file."); }

Status validate(const Program& program, const OpCatalog& catalog) { return Checker(program, catalog).run(); }

}  // namespace minrepro
