#include "harness/emit/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "harness/asserts/rule.h"

namespace minrepro::emit {
namespace {

struct Role {
  std::string_view op;          ///< `rule_name_of`, without namespace; a '*' at the end stands for any rest, "" for every operator
  std::string_view argument;
  std::string_view name;
};

/// The first row that fits decides.
constexpr std::array<Role, 38> kRoles = {{
    {"one_hot", "self", "labels"},
    {"nll_loss*", "self", "log_probs"},
    {"cross_entropy_loss", "self", "logits"},
    {"cross_entropy_loss", "target", "labels"},
    {"nll_loss*", "target", "labels"},
    {"multi_margin_loss*", "self", "scores"},
    {"multi_margin_loss*", "target", "labels"},
    {"multilabel_margin_loss*", "self", "scores"},
    {"binary_cross_entropy_with_logits*", "self", "logits"},
    {"binary_cross_entropy*", "self", "probs"},
    {"*_loss*", "self", "prediction"},
    {"ctc_loss*", "targets", "labels"},
    {"multinomial", "self", "probs"},
    {"bernoulli", "self", "probs"},
    {"bernoulli", "p", "probs"},
    {"embedding*", "self", "weight"},
    {"_embedding*", "self", "weight"},
    {"bincount", "self", "values"},
    {"where", "self", "a"},
    {"where", "other", "b"},
    {"masked_fill", "value", "value"},
    {"_softmax", "self", "logits"},
    {"_log_softmax", "self", "logits"},
    {"softmax", "self", "logits"},
    {"log_softmax", "self", "logits"},
    {"*max_pool*", "indices", "indices"},
    {"mm", "self", "a"},
    {"mm", "mat2", "b"},
    {"bmm", "self", "a"},
    {"bmm", "mat2", "b"},
    {"matmul", "self", "a"},
    {"matmul", "other", "b"},
    {"index", "indices", "index"},
    {"index_put", "indices", "index"},
    {"_index_put_impl", "indices", "index"},
    {"", "tensors", "part"},
    {"", "tensor_lists", "part"},
    {"", "self", "input"},
}};

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return true;
  const bool open_start = pattern.starts_with('*');
  const bool open_end = pattern.ends_with('*');
  if (open_start) pattern.remove_prefix(1);
  if (open_end) pattern.remove_suffix(1);
  if (open_start) return name.find(pattern) != std::string_view::npos;
  return open_end ? name.starts_with(pattern) : name == pattern;
}

/// Without namespace and overload: "scatter_".
std::string_view plain_name(std::string_view op) {
  op = without_overload(op);
  const std::size_t colons = op.rfind("::");
  return colons == std::string_view::npos ? op : op.substr(colons + 2);
}

/// Words that an identifier cannot be, in C++ or in Python or because the program uses them itself.
constexpr std::array<std::string_view, 118> kReserved = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t",
    "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "consteval", "constexpr", "constinit", "const_cast",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float",
    "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",                                   // C++
    "as", "assert", "async", "await", "def", "del", "elif", "except", "finally", "from", "global", "import", "in", "is", "lambda", "nonlocal", "pass",
    "raise", "with", "yield", "None", "True", "False"};                                                                                // Python
/// What the emitted programs name themselves.
constexpr std::array<std::string_view, 17> kOwn = {"argc", "argv", "at", "c10", "call", "device", "flat", "inf", "library", "main",
                                                   "nan", "print", "std", "sys", "torch", "make_generator", "generator"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_list(std::string_view type) { return type.ends_with(']') || type.ends_with("]?"); }
bool is_tensor(std::string_view type) { return type.starts_with("Tensor"); }

/// Whether a scatter writes a constant 1 into zeros: a one-hot encoding.
bool makes_one_hot(const Program& program, const Call& call) {
  const Value* value = call.find("value");
  const Value* self = call.find("self");
  if (rule_name_of(call.op) != "aten::scatter" || value == nullptr || self == nullptr) return false;
  const bool is_one = *value == Value(int64_t{1}) || *value == Value(1.0);
  const auto* ref = self->get_if<TensorRef>();
  const Leaf* leaf = ref == nullptr ? nullptr : program.find_leaf(ref->id);
  const auto* constant = leaf == nullptr ? nullptr : std::get_if<ConstantFill>(&leaf->fill);
  return is_one && constant != nullptr && constant->value == 0;
}

/// The mutated argument that a return is ("Tensor(a!)"); nullptr if it is a value of its own.
const SchemaArgument* argument_returned(const Schema& schema, const SchemaArgument& returned) {
  if (returned.alias.empty() || !returned.mutated) return nullptr;
  for (const SchemaArgument& argument : schema.arguments)
    if (argument.mutated && argument.alias == returned.alias) return &argument;
  return nullptr;
}

std::string result_name(const Call& call, bool is_last) {
  if (is_last) return "result";
  std::string_view name = plain_name(call.op);
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return name.empty() ? "result" : std::string(name);
}

}  // namespace

std::string Identifiers::unique(std::string_view wanted) {
  std::string base;
  for (const char c : wanted) base += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base.front())) != 0) base = "x" + base;
  if (contains(kReserved, base) || contains(kOwn, base)) base += '_';
  std::string name = base;
  const bool digit_last = std::isdigit(static_cast<unsigned char>(base.back())) != 0;
  for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}{}{}", base, digit_last ? "_" : "", i);
  return name;
}

std::string role_of(std::string_view op, const Schema& schema, std::string_view argument) {
  const std::string full = rule_name_of(op);
  const std::string_view name = plain_name(full);
  const bool two_operands = schema.find("self") != nullptr && schema.find("other") != nullptr && schema.find("other")->type == "Tensor";
  for (const Role& role : kRoles) {
    if (role.argument != argument || !fits(role.op, name)) continue;
    if (role.op.empty() && two_operands && argument == "self") return "x";
    return std::string(role.name);
  }
  return two_operands && argument == "other" ? "y" : std::string(argument);
}

Spellings name_leaves(const Program& program, const OpCatalog& catalog, Identifiers& identifiers) {
  std::map<int, std::string> wanted;
  auto visit = [&](const Call& call) {
    const Schema* schema = catalog.find(call.op);
    if (schema == nullptr) return;
    const bool one_hot = makes_one_hot(program, call);
    for (const Argument& argument : call.args)
      for (const int id : tensors_in(argument.value)) {
        std::string role = role_of(call.op, *schema, argument.name);
        if (one_hot && argument.name == "self") role = "one_hot";
        if (one_hot && argument.name == "index") role = "labels";
        wanted.emplace(id, std::move(role));
      }
  };
  if (!program.calls.empty()) visit(program.calls.back());
  for (const Call& call : program.calls) visit(call);
  for (const Leaf& leaf : program.leaves) {
    const bool coo = leaf.components.size() == 2;
    const bool by_column = leaf.meta.layout == "sparse_csc" || leaf.meta.layout == "sparse_bsc";
    const std::array<std::string_view, 3> compressed = {by_column ? "ccol_indices" : "crow_indices", by_column ? "row_indices" : "col_indices", "values"};
    for (std::size_t i = 0; i < leaf.components.size() && i < 3; ++i)
      wanted.emplace(leaf.components[i], coo ? (i == 0 ? "indices" : "values") : std::string(compressed[i]));
  }
  for (const Leaf& leaf : program.leaves)
    if (leaf.view) wanted.emplace(leaf.view->base, "base");
  Spellings spellings;
  for (const Leaf& leaf : program.leaves) {
    const auto found = wanted.find(leaf.id);
    spellings[leaf.id] = identifiers.unique(found == wanted.end() ? "unused" : found->second);
  }
  return spellings;
}

bool has_mixed_results(const Schema& schema) {
  const auto lists = std::count_if(schema.returns.begin(), schema.returns.end(), [](const SchemaArgument& r) { return is_tensor(r.type) && is_list(r.type); });
  return lists > 1 || (lists == 1 && schema.returns.size() > 1);
}

int result_position(const Schema& schema, std::size_t return_index) {
  if (!is_tensor(schema.returns[return_index].type)) return -1;
  int position = 0;
  for (std::size_t i = 0; i < return_index; ++i) position += is_tensor(schema.returns[i].type) ? 1 : 0;
  return position;
}

Binding bind_results(const Call& call, const Schema& schema, const std::set<int>& used, bool is_last, bool flat, Identifiers& identifiers, Spellings& spellings) {
  // In-place and out variants return tensors that have names already.
  bool all_known = !schema.returns.empty();
  if (!has_mixed_results(schema)) {
    for (std::size_t i = 0; i < schema.returns.size(); ++i) {
      const SchemaArgument* argument = argument_returned(schema, schema.returns[i]);
      const int position = result_position(schema, i);
      const Value* given = argument == nullptr ? nullptr : call.find(argument->name);
      const TensorRef* ref = given == nullptr ? nullptr : given->get_if<TensorRef>();
      if (ref == nullptr || position < 0) {
        all_known = false;
        continue;
      }
      const auto index = static_cast<std::size_t>(position);
      if (index < call.results.size() && call.results[index] >= 0) spellings[call.results[index]] = spellings[ref->id];
    }
    if (all_known) return {};
  }
  const bool read = std::any_of(call.results.begin(), call.results.end(), [&](int id) { return id >= 0 && used.contains(id); });
  if (!read) return {};
  auto spell_as_list = [&](const std::string& name) {
    for (std::size_t i = 0; i < call.results.size(); ++i)
      if (call.results[i] >= 0) spellings[call.results[i]] = fmt::format("{}[{}]", name, i);
  };
  const bool one = schema.returns.size() == 1 && !is_list(schema.returns[0].type);
  if (one) {
    const std::string name = identifiers.unique(result_name(call, is_last));
    spellings[call.results[0]] = name;
    return {Binding::Kind::kOne, {name}};
  }
  const bool list = schema.returns.size() == 1;
  if (list || flat || has_mixed_results(schema)) {
    const std::string name = identifiers.unique(list ? "parts" : result_name(call, is_last));
    spell_as_list(name);
    return {list ? Binding::Kind::kList : Binding::Kind::kFlat, {name}};
  }
  Binding binding{Binding::Kind::kTuple, {}};
  for (std::size_t i = 0; i < schema.returns.size(); ++i) {
    const std::string& name = schema.returns[i].name;
    binding.names.push_back(identifiers.unique(name.empty() ? fmt::format("{}_{}", result_name(call, is_last), i) : name));
    const int position = result_position(schema, i);
    if (position >= 0 && static_cast<std::size_t>(position) < call.results.size() && call.results[static_cast<std::size_t>(position)] >= 0)
      spellings[call.results[static_cast<std::size_t>(position)]] = binding.names.back();
  }
  return binding;
}

int shown_tensor(const Program& program) {
  if (program.calls.empty()) return -1;
  const Call& last = program.calls.back();
  for (const int id : last.results)
    if (id >= 0) return id;
  for (const Argument& argument : last.args)
    for (const int id : tensors_in(argument.value)) return id;
  return -1;
}

std::set<int> used_tensors(const Program& program) {
  std::set<int> used{shown_tensor(program)};
  for (const Call& call : program.calls)
    for (const Argument& argument : call.args)
      for (const int id : tensors_in(argument.value)) used.insert(id);
  return used;
}

}  // namespace minrepro::emit
