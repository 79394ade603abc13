#include "harness/program/text_form.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/program/base64.h"

namespace minrepro {
namespace {
using json = nlohmann::ordered_json;   // members in the order in which people read them: op, args, results

constexpr int64_t kMostNumbers = 4096;          ///< more values than this are written as base64
constexpr std::size_t kMostDimensions = 64;     ///< as LibTorch has it

// ---------------------------------------------------------------- writing

json real_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json element_to_json(DType dtype, const std::byte* data) {
  if (is_complex(dtype)) {
    const DType part = dtype == DType::kComplex128 ? DType::kFloat64 : dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat16;
    return json::array({real_to_json(read_real(part, data)), real_to_json(read_real(part, data + size_of(part)))});
  }
  if (dtype == DType::kBool) return read_integer(dtype, data) != 0;
  if (dtype == DType::kUInt64) return static_cast<uint64_t>(read_integer(dtype, data));
  if (is_integral(dtype)) return read_integer(dtype, data);
  return real_to_json(read_real(dtype, data));
}

json fill_to_json(const Leaf& leaf, const ValuesFill& fill) {
  static const std::vector<std::byte> kNothing;
  const std::vector<std::byte>& bytes = fill.bytes ? *fill.bytes : kNothing;
  const auto size = static_cast<std::size_t>(size_of(leaf.meta.dtype));
  if (numel(leaf.meta.sizes) > kMostNumbers) return {{"base64", encode_base64(bytes)}};
  json values = json::array();
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) values.push_back(element_to_json(leaf.meta.dtype, bytes.data() + at));
  return values;
}

json leaf_to_json(const Leaf& leaf) {
  json j = {{"id", leaf.id}, {"dtype", name_of(leaf.meta.dtype)}, {"shape", leaf.meta.sizes}};
  if (leaf.meta.layout != "strided") j["layout"] = leaf.meta.layout;
  else if (leaf.meta.strides != contiguous_strides(leaf.meta.sizes)) j["strides"] = leaf.meta.strides;
  if (leaf.device) j["device"] = *leaf.device;
  if (leaf.is_wrapped_number) j["wrapped_number"] = true;
  if (leaf.view) {
    j["view_of"] = leaf.view->base;
    j["offset"] = leaf.view->storage_offset;
  } else if (!leaf.components.empty()) {
    j["components"] = leaf.components;
  } else if (const auto* values = std::get_if<ValuesFill>(&leaf.fill)) {
    j["values"] = fill_to_json(leaf, *values);
  } else if (const auto* constant = std::get_if<ConstantFill>(&leaf.fill)) {
    j["constant"] = real_to_json(constant->value);
  } else {
    j["random"] = std::get<RandomFill>(leaf.fill).seed;
  }
  return j;
}

struct ToJson {
  json operator()(const None&) const { return nullptr; }
  json operator()(const TensorRef& v) const { return {{"tensor", v.id}}; }
  json operator()(int64_t v) const { return v; }
  json operator()(double v) const { return std::isfinite(v) ? json(v) : json{{"float", real_to_json(v)}}; }
  json operator()(const std::complex<double>& v) const { return {{"complex", {real_to_json(v.real()), real_to_json(v.imag())}}}; }
  json operator()(bool v) const { return v; }
  json operator()(const std::string& v) const { return v; }
  json operator()(const DeviceValue& v) const { return {{"device", v.name}}; }
  json operator()(const DTypeValue& v) const { return {{"dtype", name_of(v.dtype)}}; }
  json operator()(const LayoutValue& v) const { return {{"layout", v.name}}; }
  json operator()(const MemoryFormatValue& v) const { return {{"memory_format", v.name}}; }
  json operator()(const GeneratorValue& v) const { return {{"generator", v.seed}}; }
  json operator()(const OpaqueValue& v) const { return {{"opaque", v.type}}; }
  json operator()(const Value::List& v) const {
    json list = json::array();
    for (const Value& item : v) list.push_back(std::visit(*this, item.data));
    return list;
  }
};

json call_to_json(const Call& call) {
  json args = json::object();
  for (const Argument& arg : call.args) args[arg.name] = std::visit(ToJson{}, arg.value.data);
  json j = {{"op", call.op}, {"args", std::move(args)}, {"results", call.results}};
  if (call.seed) j["seed"] = *call.seed;
  if (call.source) {
    j["source"] = {{"file", call.source->file}, {"line", call.source->line}, {"function", call.source->function}};
    if (!call.source->text.empty()) j["source"]["text"] = call.source->text;
  }
  return j;
}

// ---------------------------------------------------------------- reading

/// Reads one object; the first thing that does not fit is kept with its place, and everything after it is skipped.
class JsonReader {
 public:
  Result<Program> program(const json& j) {
    Program program;
    if (!j.is_object() || !j.contains("minrepro_program")) return Error{"not a minrepro program: the member 'minrepro_program' is missing"};
    if (j["minrepro_program"] != 1) return Error{"minrepro_program: this version reads version 1 only; update minrepro"};
    program.device = text(j, "device", "program", "sim");
    program.torch_version = text(j, "torch", "program", "");
    if (program.device != "sim" && program.device != "cpu" && program.device != "cuda") fail("device", "is none of sim, cpu, cuda");
    each(j, "leaves", [&](const json& item, const std::string& place) { program.leaves.push_back(leaf(item, place)); });
    each(j, "calls", [&](const json& item, const std::string& place) { program.calls.push_back(call(item, place)); });
    if (error_) return *error_;
    return program;
  }

 private:
  void fail(const std::string& place, std::string_view what) {
    if (!error_) error_ = Error{fmt::format("{}: {}", place, what)};
  }

  template <typename Visit>
  void each(const json& j, const char* key, Visit&& visit) {
    const auto found = j.find(key);
    if (found == j.end()) return;
    if (!found->is_array()) return fail(key, "is not an array");
    for (std::size_t i = 0; i < found->size() && !error_; ++i) {
      const std::string place = fmt::format("{}[{}]", key, i);
      if (!(*found)[i].is_object()) return fail(place, "is not an object");
      visit((*found)[i], place);
    }
  }

  std::string text(const json& j, const char* key, const std::string& place, std::string_view missing) {
    const auto found = j.find(key);
    if (found == j.end()) return std::string(missing);
    if (!found->is_string()) {
      fail(place + "." + key, "is not a string");
      return {};
    }
    return found->get<std::string>();
  }

  /// nlohmann keeps numbers above INT64_MAX as unsigned: those do not fit and are refused here rather than wrapped.
  std::optional<int64_t> integer(const json& j, const std::string& place) {
    if (!j.is_number_integer() || (j.is_number_unsigned() && j.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))) {
      fail(place, "is not a 64-bit integer");
      return std::nullopt;
    }
    return j.get<int64_t>();
  }

  int id(const json& j, const std::string& place, int lowest = 0) {
    const std::optional<int64_t> value = integer(j, place);
    if (value && (*value < lowest || *value > 100'000'000)) fail(place, "is not a tensor id");
    return error_ ? -1 : static_cast<int>(*value);
  }

  std::optional<uint64_t> seed(const json& j, const std::string& place) {
    if (j.is_number_unsigned()) return j.get<uint64_t>();
    if (j.is_number_integer() && j.get<int64_t>() >= 0) return static_cast<uint64_t>(j.get<int64_t>());
    fail(place, "is not a seed (an integer from 0 on)");
    return std::nullopt;
  }

  std::vector<int64_t> integers(const json& j, const std::string& place) {
    std::vector<int64_t> values;
    if (!j.is_array() || j.size() > kMostDimensions) {
      fail(place, "is not an array of at most 64 integers");
      return values;
    }
    for (std::size_t i = 0; i < j.size(); ++i) values.push_back(integer(j[i], place).value_or(0));
    return values;
  }

  std::optional<double> real(const json& j, const std::string& place) {
    if (j.is_number()) return j.get<double>();
    if (j == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (j == "inf") return std::numeric_limits<double>::infinity();
    if (j == "-inf") return -std::numeric_limits<double>::infinity();
    fail(place, "is not a number (non-finite ones are \"nan\", \"inf\", \"-inf\")");
    return std::nullopt;
  }

  std::complex<double> complex(const json& j, const std::string& place) {
    if (!j.is_array() || j.size() != 2) {
      fail(place, "is not [real, imaginary]");
      return {};
    }
    return {real(j[0], place).value_or(0), real(j[1], place).value_or(0)};
  }

  void element(DType dtype, const json& j, const std::string& place, std::byte* out) {
    if (is_complex(dtype)) {
      const std::complex<double> value = complex(j, place);
      const DType part = dtype == DType::kComplex128 ? DType::kFloat64 : dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat16;
      write_real(part, value.real(), out);
      write_real(part, value.imag(), out + size_of(part));
    } else if (dtype == DType::kBool && j.is_boolean()) {
      write_integer(dtype, j.get<bool>(), out);
    } else if (dtype == DType::kUInt64 && j.is_number_unsigned()) {
      write_integer(dtype, static_cast<int64_t>(j.get<uint64_t>()), out);
    } else if (is_integral(dtype)) {
      if (const auto value = integer(j, place)) write_integer(dtype, *value, out);
    } else if (const auto value = real(j, place)) {
      write_real(dtype, *value, out);
    }
  }

  Fill values(const json& j, const Leaf& leaf, const std::string& place) {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    if (j.is_object()) {
      std::optional<std::vector<std::byte>> decoded;
      if (j.contains("base64") && j["base64"].is_string()) decoded = decode_base64(j["base64"].get_ref<const std::string&>());
      if (!decoded) fail(place, "is not {\"base64\": \"…\"} with valid text");
      else *bytes = std::move(*decoded);
    } else if (j.is_array()) {
      const auto size = static_cast<std::size_t>(size_of(leaf.meta.dtype));
      bytes->resize(j.size() * size);
      for (std::size_t i = 0; i < j.size() && !error_; ++i) element(leaf.meta.dtype, j[i], fmt::format("{}[{}]", place, i), bytes->data() + i * size);
    } else {
      fail(place, "is neither an array nor {\"base64\": \"…\"}");
    }
    return ValuesFill{std::move(bytes)};
  }

  Leaf leaf(const json& j, const std::string& place) {
    Leaf leaf;
    if (!j.contains("id") || !j.contains("dtype") || !j.contains("shape")) {
      fail(place, "needs 'id', 'dtype' and 'shape'");
      return leaf;
    }
    leaf.id = id(j["id"], place + ".id");
    const std::optional<DType> dtype = j["dtype"].is_string() ? dtype_of_name(j["dtype"].get_ref<const std::string&>()) : std::nullopt;
    if (!dtype) fail(place + ".dtype", fmt::format("{} is no element type; torch's names are used, such as int64 or float32", j["dtype"].dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 40)));
    leaf.meta.dtype = dtype.value_or(DType::kFloat32);
    leaf.meta.sizes = integers(j["shape"], place + ".shape");
    leaf.meta.layout = text(j, "layout", place, "strided");
    if (leaf.meta.layout == "strided") {
      leaf.meta.strides = j.contains("strides") ? integers(j["strides"], place + ".strides") : contiguous_strides(leaf.meta.sizes);
    }
    if (j.contains("device")) leaf.device = text(j, "device", place, "");
    if (j.contains("wrapped_number")) leaf.is_wrapped_number = j["wrapped_number"].is_boolean() && j["wrapped_number"].get<bool>();
    if (j.contains("view_of")) {
      leaf.view = ViewOf{id(j["view_of"], place + ".view_of"), 0};
      if (j.contains("offset")) leaf.view->storage_offset = integer(j["offset"], place + ".offset").value_or(0);
    } else if (j.contains("components")) {
      if (!j["components"].is_array() || j["components"].size() > 3) fail(place + ".components", "is not an array of two or three leaf ids");
      else for (const json& item : j["components"]) leaf.components.push_back(id(item, place + ".components"));
    } else if (j.contains("values")) {
      leaf.fill = values(j["values"], leaf, place + ".values");
    } else if (j.contains("random")) {
      leaf.fill = RandomFill{seed(j["random"], place + ".random").value_or(0)};
    } else if (j.contains("constant")) {
      leaf.fill = ConstantFill{real(j["constant"], place + ".constant").value_or(0)};
    } else {
      fail(place, "has none of 'values', 'constant', 'random', 'view_of', 'components'");
    }
    return leaf;
  }

  Value value(const json& j, const std::string& place, int depth = 0) {
    if (j.is_null()) return None{};
    if (j.is_boolean()) return j.get<bool>();
    if (j.is_number_float()) return j.get<double>();
    if (j.is_number()) return integer(j, place).value_or(0);
    if (j.is_string()) return j.get<std::string>();
    if (j.is_array()) {
      if (depth == 4) fail(place, "is nested too deeply");
      Value::List list;
      for (std::size_t i = 0; i < j.size() && !error_; ++i) list.push_back(value(j[i], fmt::format("{}[{}]", place, i), depth + 1));
      return list;
    }
    if (j.size() == 1) {
      const auto item = j.begin();
      const std::string inner = place + "." + item.key();
      if (item.key() == "tensor") return TensorRef{id(*item, inner)};
      if (item.key() == "float") return real(*item, inner).value_or(0);
      if (item.key() == "complex") return complex(*item, inner);
      if (item.key() == "generator") return GeneratorValue{seed(*item, inner).value_or(0)};
      if (item->is_string()) {
        const std::string name = item->get<std::string>();
        if (item.key() == "device") return DeviceValue{name};
        if (item.key() == "layout") return LayoutValue{name};
        if (item.key() == "memory_format") return MemoryFormatValue{name};
        if (item.key() == "opaque") return OpaqueValue{name};
        if (item.key() == "dtype") {
          if (const auto dtype = dtype_of_name(name)) return DTypeValue{*dtype};
          fail(inner, fmt::format("'{}' is no element type", name));
        }
      }
    }
    fail(place, "is no value: {\"tensor\": ID}, {\"dtype\": …}, {\"device\": …}, a number, string, bool, null or list is expected");
    return None{};
  }

  Call call(const json& j, const std::string& place) {
    Call call;
    call.op = text(j, "op", place, "");
    if (call.op.empty()) fail(place, "needs 'op'");
    const auto args = j.find("args");
    if (args != j.end() && !args->is_object()) fail(place + ".args", "is not an object");
    if (args != j.end() && args->is_object())
      for (const auto& [name, item] : args->items()) {
        if (error_) break;
        call.args.push_back({name, value(item, fmt::format("{}.args.{}", place, name))});
      }
    if (const auto results = j.find("results"); results != j.end()) {
      if (!results->is_array()) fail(place + ".results", "is not an array");
      else for (const json& item : *results) call.results.push_back(id(item, place + ".results", -1));
    }
    if (j.contains("seed")) call.seed = seed(j["seed"], place + ".seed");
    if (const auto source = j.find("source"); source != j.end()) {
      if (!source->is_object()) fail(place + ".source", "is not an object");
      else {
        SourceLine line{text(*source, "file", place + ".source", ""), 0, text(*source, "function", place + ".source", ""),
                        text(*source, "text", place + ".source", "")};
        if (source->contains("line")) line.line = integer((*source)["line"], place + ".source.line").value_or(0);
        call.source = std::move(line);
      }
    }
    return call;
  }

  std::optional<Error> error_;
};

}  // namespace

namespace {
json ordered(const Program& program) {
  json leaves = json::array();
  for (const Leaf& leaf : program.leaves) leaves.push_back(leaf_to_json(leaf));
  json calls = json::array();
  for (const Call& call : program.calls) calls.push_back(call_to_json(call));
  json j = {{"minrepro_program", 1}, {"device", program.device}};
  if (!program.torch_version.empty()) j["torch"] = program.torch_version;
  j["leaves"] = std::move(leaves);
  j["calls"] = std::move(calls);
  return j;
}
}  // namespace

nlohmann::json to_json(const Program& program) { return ordered(program); }

std::string to_text(const Program& program) {
  const json j = ordered(program);
  std::string out = fmt::format("{{\n  \"minrepro_program\": 1,\n  \"device\": {},\n", json(program.device).dump());
  if (!program.torch_version.empty()) out += fmt::format("  \"torch\": {},\n", json(program.torch_version).dump());
  for (const char* key : {"leaves", "calls"}) {
    out += fmt::format("  \"{}\": [", key);
    for (std::size_t i = 0; i < j[key].size(); ++i)
      out += fmt::format("{}\n    {}", i ? "," : "", j[key][i].dump(-1, ' ', false, json::error_handler_t::replace));
    out += std::string_view(key) == "leaves" ? "\n  ],\n" : "\n  ]\n}\n";
  }
  return out;
}

Result<Program> program_from_json(const nlohmann::json& j) { return JsonReader().program(j); }

namespace {
/// Nesting deeper than any program has: a parser that recurses on its destructor must not meet it.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > 32) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}
}  // namespace

Result<Program> program_from_text(std::string_view text) {
  if (too_deep(text)) return Error{"JSON is nested deeper than any program"};
  try {
    return JsonReader().program(json::parse(text));
  } catch (const json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: …": people need the part after the bracket.
    std::string_view what = e.what();
    if (const std::size_t bracket = what.find("] "); bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    return Error{fmt::format("JSON: {}", what)};
  }
}

}  // namespace minrepro
