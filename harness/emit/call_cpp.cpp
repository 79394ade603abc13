#include "harness/emit/call_cpp.h"

#include <fmt/format.h>

#include "harness/emit/leaf_cpp.h"
#include "harness/emit/literals.h"
#include "harness/emit/public_form.h"
#include "harness/emit/value_cpp.h"
#include "harness/emit/wrap.h"

namespace minrepro::emit {
namespace {

/// Every argument of the four that make a TensorOptions.
constexpr std::size_t kOptionsMembers = 4;

bool is_default(const Call& call, const SchemaArgument& argument) {
  const Value* given = call.find(argument.name);
  return given == nullptr ? argument.default_value.has_value() : argument.default_value && repeated(*given, argument.type) == repeated(*argument.default_value, argument.type);
}

/// Sizes of a factory and the like need no comment to be understood.
bool explains_itself(const std::string& name) { return name == "size" || name == "sizes" || name == "shape"; }

std::string commented(const SchemaArgument& argument, const Value& value, std::string text) {
  return is_bare(value) && !explains_itself(argument.name) ? fmt::format("/*{}=*/{}", argument.name, text) : text;
}

}  // namespace

Result<std::string> CallWriter::argument(const Call& call, const SchemaArgument& argument, bool typed_values, bool stack) const {
  if (call.find(argument.name) == nullptr && !argument.default_value && !argument.type.ends_with('?'))
    return Error{fmt::format("argument '{}' ({}) is missing", argument.name, argument.type)};
  const Value value = value_of(call, argument);
  const Target target = stack ? Target::kStack : typed_values ? Target::kTypedValues : Target::kFunction;
  auto text = value_cpp(value, argument.type, target, program_, spellings_);
  if (!text) return Error{fmt::format("argument '{}' {}", argument.name, text.error().message)};
  return commented(argument, value, std::move(*text));
}

Result<std::string> CallWriter::boxed(const Call& call, const Schema& schema) const {
  std::vector<std::string> texts;
  for (const SchemaArgument& wanted : schema.arguments) {
    auto text = argument(call, wanted, false, true);
    if (!text) return text;
    texts.push_back(std::move(*text));
  }
  const std::string_view name = without_overload(schema.name);
  const std::string_view overload = std::string_view(schema.name).substr(std::min(schema.name.size(), name.size() + 1));
  return fmt::format("call(\"{}\", \"{}\", {{{}}})", name, overload, joined(texts));
}

/// One TensorOptions from four arguments; empty if all of them are at their defaults.
Result<std::string> CallWriter::options(const Call& call, const Schema& schema, std::size_t first) const {
  const auto& arguments = schema.arguments;
  bool all_default = true;
  for (std::size_t i = first; i < first + kOptionsMembers; ++i) all_default = all_default && is_default(call, arguments[i]);
  if (all_default) return std::string();
  const bool of_another = schema.arguments.front().type == "Tensor";    // zeros_like, to: None there means the other tensor's
  std::vector<std::pair<const char*, std::string>> members;
  static constexpr const char* kSetters[] = {"dtype", "layout", "device", "pinned_memory"};
  for (std::size_t i = 0; i < kOptionsMembers; ++i) {
    const Value value = value_of(call, arguments[first + i]);
    const bool plain = value.is<None>() || value == Value(false) || (!of_another && value == Value(LayoutValue{"strided"})) ||
                       (!of_another && program_.device != "cpu" && value == Value(DeviceValue{"cpu"}));
    if (plain) continue;
    auto text = value_cpp(value, arguments[first + i].type, Target::kFunction, program_, spellings_);
    if (!text) return Error{fmt::format("argument '{}' {}", arguments[first + i].name, text.error().message)};
    members.emplace_back(kSetters[i], std::move(*text));
  }
  if (members.empty()) return std::string();
  // "device" and "torch::kLong" turn into options by themselves; `to` has overloads that take them as they are.
  const bool bare = members.size() == 1 && !of_another;
  if (bare && (members[0].first == std::string_view("device") || members[0].first == std::string_view("dtype"))) return members[0].second;
  std::string text;
  for (const auto& [setter, value] : members) text += fmt::format("{}{}({})", text.empty() ? "torch::" : ".", setter, value);
  if (text.starts_with("torch::pinned_memory")) text = "torch::TensorOptions()." + text.substr(7);
  return text;
}

/// x.index({Slice(), index}), where that means aten::index itself: it does unless an index is a number (which selects),
/// has to be moved, or nothing is indexed. Empty otherwise.
std::string CallWriter::index_expression(const Call& call) const {
  const Value* self = call.find("self");
  const Value* indices = call.find("indices");
  const auto* list = indices == nullptr ? nullptr : indices->get_if<Value::List>();
  if (call.op != "aten::index.Tensor" || self == nullptr || !self->is<TensorRef>() || list == nullptr || list->empty()) return {};
  std::vector<std::string> texts;
  bool any = false;
  for (const Value& item : *list) {
    if (item.is<None>()) {
      texts.emplace_back("torch::indexing::Slice()");
      continue;
    }
    const Leaf* leaf = item.is<TensorRef>() ? program_.find_leaf(item.get_if<TensorRef>()->id) : nullptr;
    if (leaf == nullptr || leaf->meta.sizes.empty() || leaf->device) return {};
    texts.push_back(spellings_.at(leaf->id));
    any = true;
  }
  if (!any) return {};
  const auto found = spellings_.find(self->get_if<TensorRef>()->id);
  return found == spellings_.end() ? std::string() : fmt::format("{}.index({{{}}})", found->second, joined(texts));
}

Result<std::string> CallWriter::readable(const Call& call, const Schema& schema) const {
  if (std::string text = index_expression(call); !text.empty()) return text;
  const PublicForm form = public_form_of(schema, call);
  const bool typed_values = needs_typed_values(schema);
  // Trailing arguments at their defaults are not written.
  std::size_t count = form.order.size();
  auto droppable = [&](std::size_t position) -> Result<bool> {
    if (static_cast<int>(position) == form.options) {
      auto text = options(call, schema, position);
      if (!text) return text.error();
      return text->empty();
    }
    const SchemaArgument& last = schema.arguments[position];
    return is_default(call, last) && !has_to_be_written(schema, last.name);
  };
  while (count > 0) {
    auto drop = droppable(form.order[count - 1]);
    if (!drop) return drop.error();
    if (!*drop) break;
    --count;
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t position = form.order[i];
    const bool grouped = static_cast<int>(position) == form.options;
    auto text = grouped ? options(call, schema, position) : argument(call, schema.arguments[position], typed_values, false);
    if (!text) return text;
    if (grouped && text->empty()) *text = "torch::TensorOptions()";
    texts.push_back(std::move(*text));
  }
  if (form.form == Form::kFunction) return fmt::format("{}({})", form.name, joined(texts));
  const Value* self = call.find("self");
  if (self == nullptr) return Error{"argument 'self' (Tensor) is missing"};
  auto owner = value_cpp(*self, "Tensor", Target::kFunction, program_, spellings_);
  if (!owner) return Error{fmt::format("argument 'self' {}", owner.error().message)};
  return fmt::format("{}.{}({})", *owner, form.name, joined(texts));
}

Result<std::string> CallWriter::write(const Call& call) {
  const Schema* schema = catalog_.find(call.op);
  if (schema == nullptr) return Error{fmt::format("{}: torch {} has no such operator", call.op, catalog_.torch_version())};
  for (const Argument& given : call.args)
    if (schema->find(given.name) == nullptr) return Error{fmt::format("{}: there is no argument '{}'", call.op, given.name)};
  const bool is_last = &call == &program_.calls.back();
  const bool dispatched = style_ == EmitStyle::kDispatcher || public_form_of(*schema, call).form == Form::kDispatcher;
  auto expression = dispatched ? boxed(call, *schema) : readable(call, *schema);
  if (!expression) return Error{fmt::format("{}: {}", call.op, expression.error().message)};
  used_dispatcher_ = used_dispatcher_ || dispatched;
  const Binding binding = bind_results(call, *schema, used_, is_last, dispatched, identifiers_, spellings_);
  std::string text;
  if (call.seed) text += fmt::format("  torch::manual_seed({});\n", cpp_unsigned(*call.seed));
  switch (binding.kind) {
    case Binding::Kind::kNothing: return text + wrapped(*expression + ";", 2);
    case Binding::Kind::kOne: return text + wrapped(fmt::format("auto {} = {}{};", binding.names[0], *expression, dispatched ? "[0]" : ""), 2);
    case Binding::Kind::kTuple: return text + wrapped(fmt::format("auto [{}] = {};", joined(binding.names), *expression), 2);
    case Binding::Kind::kList:
    case Binding::Kind::kFlat: return text + wrapped(fmt::format("auto {} = {};", binding.names[0], *expression), 2);
  }
  return text;
}

}  // namespace minrepro::emit
