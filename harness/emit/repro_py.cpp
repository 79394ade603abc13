#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/emit/emit.h"
#include "harness/emit/headline.h"
#include "harness/emit/leaf_py.h"
#include "harness/emit/literals.h"
#include "harness/emit/value_py.h"
#include "harness/emit/value_cpp.h"
#include "harness/emit/public_form.h"
#include "harness/emit/wrap.h"

namespace minrepro {
namespace {

using namespace emit;

constexpr std::string_view kFlat = R"(def flat(results):
    """All tensors among the results of a call."""
    if isinstance(results, (list, tuple)):
        return [tensor for result in results for tensor in flat(result)]
    return [results] if isinstance(results, torch.Tensor) else []


)";

constexpr std::string_view kMakeGenerator = R"(def make_generator(seed):
    return torch.Generator(device if device.type == "cuda" else "cpu").manual_seed(seed)


)";

/// Operators that Python code calls as methods; all others are named in full, which is always right.
constexpr std::array<std::string_view, 26> kMethods = {
    "gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "index_select", "index_add", "index_add_", "index_copy", "index_copy_", "index_fill",
    "index_fill_", "masked_fill", "masked_fill_", "masked_select", "take", "put_", "multinomial", "softmax", "log_softmax", "argmax", "topk",
    "sort", "cumsum", "contiguous", "clone"};

/// Whether `op` is one of them with nothing in the way: `self` first.
bool is_method(const Schema& schema, std::string_view name) {
  return schema.has_method && !schema.arguments.empty() && schema.arguments[0].name == "self" && schema.arguments[0].type == "Tensor" &&
         std::find(kMethods.begin(), kMethods.end(), name) != kMethods.end();
}

class PyWriter {
 public:
  PyWriter(const Program& program, const OpCatalog& catalog, Identifiers& identifiers, Spellings& spellings)
      : program_(program), catalog_(catalog), used_(used_tensors(program)), identifiers_(identifiers), spellings_(spellings) {}

  bool used_flat() const { return used_flat_; }

  Result<std::string> write(const Call& call) {
    const Schema* schema = catalog_.find(call.op);
    if (schema == nullptr) return Error{fmt::format("{}: torch {} has no such operator", call.op, catalog_.torch_version())};
    for (const Argument& given : call.args)
      if (schema->find(given.name) == nullptr) return Error{fmt::format("{}: there is no argument '{}'", call.op, given.name)};
    auto expression = expression_of(call, *schema);
    if (!expression) return Error{fmt::format("{}: {}", call.op, expression.error().message)};
    std::string text = call.seed ? fmt::format("torch.manual_seed({})\n", *call.seed) : "";
    const Binding binding = bind_results(call, *schema, used_, &call == &program_.calls.back(), false, identifiers_, spellings_);
    switch (binding.kind) {
      case Binding::Kind::kNothing: return text + wrapped(*expression, 0, 1);
      case Binding::Kind::kFlat:
        used_flat_ = true;
        return text + wrapped(fmt::format("{} = flat({})", binding.names[0], *expression), 0, 1);
      case Binding::Kind::kOne:
      case Binding::Kind::kList:
      case Binding::Kind::kTuple: return text + wrapped(fmt::format("{} = {}", joined(binding.names), *expression), 0, 1);
    }
    return text;
  }

 private:
  Result<std::string> expression_of(const Call& call, const Schema& schema) const {
    const std::string_view full = without_overload(schema.name);
    const std::size_t colons = full.find("::");
    if (colons == std::string_view::npos) return Error{"the operator's name has no namespace"};
    const std::string_view name = full.substr(colons + 2);
    const std::string_view overload = schema.name.size() > full.size() ? std::string_view(schema.name).substr(full.size() + 1) : "default";
    const bool method = is_method(schema, name);
    std::vector<std::string> texts;
    std::string owner;
    // Positional arguments up to the last one that is not at its default; keyword-only ones where they are not.
    std::size_t positional = 0;
    for (std::size_t i = 0; i < schema.arguments.size(); ++i)
      if (!schema.arguments[i].keyword_only && !is_default(call, schema.arguments[i])) positional = i + 1;
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
      const SchemaArgument& wanted = schema.arguments[i];
      if (wanted.keyword_only ? is_default(call, wanted) : i >= positional) continue;
      if (call.find(wanted.name) == nullptr && !wanted.default_value && !wanted.type.ends_with('?'))
        return Error{fmt::format("argument '{}' ({}) is missing", wanted.name, wanted.type)};
      auto text = value_py(value_of(call, wanted), wanted.type, program_, spellings_);
      if (!text) return Error{fmt::format("argument '{}' {}", wanted.name, text.error().message)};
      if (method && i == 0) owner = *text;
      else texts.push_back(wanted.keyword_only ? fmt::format("{}={}", wanted.name, *text) : *text);
    }
    if (method) return fmt::format("{}.{}({})", owner, name, joined(texts));
    return fmt::format("torch.ops.{}.{}.{}({})", full.substr(0, colons), name, overload, joined(texts));
  }

  static bool is_default(const Call& call, const SchemaArgument& argument) {
    const Value* given = call.find(argument.name);
    return given == nullptr ? argument.default_value.has_value()
                            : argument.default_value && repeated(*given, argument.type) == repeated(*argument.default_value, argument.type);
  }

  const Program& program_;
  const OpCatalog& catalog_;
  std::set<int> used_;
  Identifiers& identifiers_;
  Spellings& spellings_;
  bool used_flat_ = false;
};

/// Waits for the device; contents only where they can be printed whatever they are.
std::string show_py(const Program& program, const Spellings& spellings) {
  const auto found = spellings.find(shown_tensor(program));
  if (found == spellings.end()) return {};
  bool meta = false;
  for (const Leaf& leaf : program.leaves) meta = meta || leaf.device == "meta";
  for (const Call& call : program.calls)
    for (const Argument& argument : call.args) meta = meta || argument.value == Value(DeviceValue{"meta"});
  if (meta) return fmt::format("\nprint({}.shape)\n", found->second);
  if (program.device == "cpu") return fmt::format("\nprint({})\n", found->second);
  return fmt::format("\nprint({}.cpu())  # the copy waits for the device: an error surfaces here at the latest\n", found->second);
}

}  // namespace

Result<std::string> emit_repro_py(const Program& program, const OpCatalog& catalog, const Expectation& expectation) {
  if (program.calls.empty()) return Error{"the program has no call"};
  Identifiers identifiers;
  Spellings spellings = name_leaves(program, catalog, identifiers);
  std::string body;
  for (const Leaf& leaf : program.leaves) body += leaf_py(leaf, program, spellings);
  PyWriter calls(program, catalog, identifiers, spellings);
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    auto text = calls.write(program.calls[i]);
    if (!text) return Error{fmt::format("calls[{}]: {}", i, text.error().message)};
    body += *text;
  }
  body += show_py(program, spellings);

  std::string text = opening_comment(program, expectation, "# ") + "import sys\n";
  const bool has_inf = mentions(body, "inf");
  const bool has_nan = mentions(body, "nan");
  if (has_inf || has_nan) text += fmt::format("from math import {}\n", has_inf && has_nan ? "inf, nan" : has_inf ? "inf" : "nan");
  text += "\nimport torch\n\n";
  if (calls.used_flat()) text += "\n" + std::string(kFlat);
  const std::string device = program.device == "cpu" ? "cpu" : program.device.starts_with("cuda") ? program.device : "cuda";
  text += fmt::format("device = torch.device(sys.argv[1] if len(sys.argv) > 1 else \"{}\")\n", device);
  for (const std::string& library : expectation.libraries) text += fmt::format("torch.ops.load_library({})\n", string_literal(library));
  if (body.find("make_generator(") != std::string::npos) text += "\n\n" + std::string(kMakeGenerator);
  else text += "\n";
  return text + body;
}

}  // namespace minrepro
