#include "harness/program/schema.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/program/enumerations.h"

namespace minrepro {
namespace {

/// A recursive-descent reader of the schema grammar. It never looks past the end, and every loop consumes input.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Schema> schema() {
    Schema schema;
    const std::size_t open = text_.find('(');
    if (open == std::string_view::npos || open == 0) return fail("an operator name and '('");
    schema.name = std::string(text_.substr(0, open));
    at_ = open;
    if (!list(schema.arguments)) return fail(wanted_);
    skip_spaces();
    if (!eat("->")) return fail("'->'");
    skip_spaces();
    if (peek() == '(') {
      if (!list(schema.returns)) return fail(wanted_);
    } else if (at_ < text_.size()) {
      SchemaArgument only;
      if (!type(only)) return fail(wanted_);
      schema.returns.push_back(std::move(only));
    }
    return schema;
  }

 private:
  Error fail(std::string_view wanted) const {
    return Error{fmt::format("schema '{}': character {}: expected {}", text_.substr(0, 200), at_, wanted)};
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (peek() == ' ') ++at_;
  }
  bool eat(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool list(std::vector<SchemaArgument>& arguments) {
    if (!eat("(")) return expect("'('");
    bool keyword_only = false;
    for (;;) {
      skip_spaces();
      if (eat(")")) return true;
      if (eat("...")) {
        skip_spaces();
      } else if (peek() == '*' ) {
        ++at_;
        keyword_only = true;
      } else {
        SchemaArgument argument;
        argument.keyword_only = keyword_only;
        if (!type(argument)) return false;
        skip_spaces();
        argument.name = word();
        if (eat("=") && !default_of(argument)) return false;
        arguments.push_back(std::move(argument));
      }
      skip_spaces();
      if (eat(",")) continue;
      if (eat(")")) return true;
      return expect("',' or ')'");
    }
  }

  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == ':'; }
  std::string word() {
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  /// A type with its alias annotation: Tensor(a!)?[2], Dict(str, Tensor), (int, float), __torch__.Class.
  bool type(SchemaArgument& argument) {
    std::string& type = argument.type;
    type = word();
    for (;;) {
      if (peek() == '(') {
        const std::size_t begin = at_;
        if (!balanced()) return expect("')'");
        const std::string_view inside = text_.substr(begin + 1, at_ - begin - 2);
        if (!type.empty() && is_alias(inside)) {
          argument.mutated = argument.mutated || inside.find('!') != std::string_view::npos;
          argument.alias = std::string(inside.substr(0, inside.find_first_of("! ")));
        } else {
          type += text_.substr(begin, at_ - begin);
        }
      } else if (peek() == '[') {
        const std::size_t begin = at_;
        while (peek() != ']' && peek() != '\0') ++at_;
        if (!eat("]")) return expect("']'");
        type += text_.substr(begin, at_ - begin);
      } else if (peek() == '?') {
        ++at_;
        type += '?';
      } else {
        break;
      }
    }
    return !type.empty() || expect("a type");
  }

  bool balanced() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '(') ++depth;
      if (c == ')' && --depth == 0) return true;
    }
    return false;
  }

  static bool is_alias(std::string_view inside) {
    return !inside.empty() && inside.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789!|*-> ") == std::string_view::npos &&
           (inside.size() == 1 || inside.find_first_of("!|>") != std::string_view::npos || inside == "*");
  }

  bool default_of(SchemaArgument& argument) {
    Value value;
    if (!literal(value)) return false;
    std::string_view base = argument.type;
    if (base.ends_with('?')) base.remove_suffix(1);
    if (const auto* integer = value.get_if<int64_t>()) {
      if (base == "float") value = static_cast<double>(*integer);
      else if (base == "ScalarType") value = DTypeValue{dtype_of_number(*integer).value_or(DType::kFloat32)};
      else if (base == "bool") value = *integer != 0;
      else if (base == "MemoryFormat") value = MemoryFormatValue{std::string(memory_format_name(*integer).value_or("contiguous_format"))};
      else if (base == "Layout") value = LayoutValue{std::string(layout_name(*integer).value_or("strided"))};
    } else if (const auto* name = value.get_if<std::string>(); name && bare_word_) {
      if (base == "MemoryFormat") value = MemoryFormatValue{*name};
      else if (base == "Layout") value = LayoutValue{*name};
      else if (base == "Device") value = DeviceValue{*name};
      else if (base == "int") value = int64_t{*name == "Mean" ? 1 : *name == "Sum" ? 2 : 0};   // at::Reduction, as the schemas spell it
      else if (base == "ScalarType") value = DTypeValue{dtype_of_name(*name == "long" ? "int64" : *name).value_or(DType::kFloat32)};
    } else if (auto* list = value.get_if<Value::List>(); list && base.starts_with("float")) {
      for (Value& item : *list)
        if (const auto* i = item.get_if<int64_t>()) item = static_cast<double>(*i);
    }
    argument.default_value = std::move(value);
    return true;
  }

  bool literal(Value& value) {
    bare_word_ = false;
    const char c = peek();
    if (c == '[') {
      ++at_;
      Value::List items;
      for (;;) {
        skip_spaces();
        if (eat("]")) break;
        Value item;
        if (peek() == '[' || !literal(item)) return expect("a list element");
        items.push_back(std::move(item));
        skip_spaces();
        eat(",");
      }
      value = std::move(items);
      return true;
    }
    if (c == '"' || c == '\'') {
      std::string content;
      for (++at_; peek() != c; ++at_) {
        if (peek() == '\\') ++at_;
        if (peek() == '\0') return expect("a closing quote");
        content += peek();
      }
      ++at_;
      value = std::move(content);
      return true;
    }
    const std::size_t begin = at_;
    if (c == '-' || c == '+') ++at_;
    while (is_word(peek()) || ((peek() == '-' || peek() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))) ++at_;
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (token.empty()) return expect("a default value");
    if (token == "None") value = None{};
    else if (token == "True") value = true;
    else if (token == "False") value = false;
    else if (!number(token, value)) {
      value = std::string(token);
      bare_word_ = true;
    }
    return true;
  }

  static bool number(std::string_view token, Value& value) {
    int64_t integer = 0;
    if (const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), integer);
        code == std::errc() && end == token.data() + token.size()) {
      value = integer;
      return true;
    }
    double real = 0;
    if (const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), real);
        code == std::errc() && end == token.data() + token.size()) {
      value = real;
      return true;
    }
    return false;
  }

  bool expect(std::string_view what) {
    wanted_ = what;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool bare_word_ = false;
  std::string wanted_ = "a schema";
};

}  // namespace

const SchemaArgument* Schema::find(std::string_view argument) const {
  for (const SchemaArgument& candidate : arguments)
    if (candidate.name == argument) return &candidate;
  return nullptr;
}

std::string_view without_overload(std::string_view op) {
  const std::size_t colons = op.find("::");
  const std::size_t dot = op.find('.', colons == std::string_view::npos ? 0 : colons + 2);
  return op.substr(0, dot);
}

Result<Schema> parse_schema(std::string_view text) { return Reader(text).schema(); }

Result<OpCatalog> OpCatalog::parse(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("ops") || !json["ops"].is_array())
    return Error{"operator catalog: not the JSON that minrepro-worker --describe writes; build the project again"};
  OpCatalog catalog;
  catalog.torch_version_ = json.value("torch", "");
  for (const nlohmann::json& op : json["ops"]) {
    if (!op.is_object() || !op.contains("schema") || !op["schema"].is_string()) return Error{"operator catalog: an entry has no schema text"};
    Result<Schema> schema = parse_schema(op["schema"].get_ref<const std::string&>());
    if (!schema) return schema.error();
    schema->has_function = op.value("function", false);
    schema->has_method = op.value("method", false);
    catalog.add(std::move(*schema));
  }
  return catalog;
}

const Schema* OpCatalog::find(std::string_view op) const {
  const auto found = ops_.find(op);
  return found == ops_.end() ? nullptr : found->second.get();
}

void OpCatalog::add(Schema schema) {
  std::string name = schema.name;
  ops_.insert_or_assign(std::move(name), std::make_shared<const Schema>(std::move(schema)));
}

}  // namespace minrepro
