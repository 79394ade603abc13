#include <fmt/core.h>

#include <set>

#include "reducers/pass_table.h"

namespace minrepro {
namespace {

bool has_default(const PassContext& context, const Call& call, const std::string& name) {
  const Schema* schema = context.catalog.find(call.op);
  const SchemaArgument* argument = schema ? schema->find(name) : nullptr;
  return argument && (argument->default_value || argument->type.ends_with('?'));
}

std::optional<Program> without_argument(const Program& program, std::size_t call, const std::string& name) {
  Program result = program;
  if (call >= result.calls.size() || std::erase_if(result.calls[call].args, [&](const Argument& a) { return a.name == name; }) == 0) return std::nullopt;
  drop_unused_leaves(result);
  return result;
}

/// Takes elements [begin, end) out of a list of tensors.
std::optional<Program> without_elements(const Program& program, std::size_t call, const std::string& name, std::size_t begin, std::size_t end) {
  Program result = program;
  Value* value = call < result.calls.size() ? result.calls[call].find(name) : nullptr;
  auto* list = value ? value->get_if<Value::List>() : nullptr;
  if (!list || end > list->size()) return std::nullopt;
  list->erase(list->begin() + static_cast<std::ptrdiff_t>(begin), list->begin() + static_cast<std::ptrdiff_t>(end));
  drop_unused_leaves(result);
  return result;
}

}  // namespace

std::vector<Edit> drop_arguments(const Program& program, const PassContext& context) {
  std::vector<Edit> edits;
  std::vector<std::pair<std::size_t, std::string>> droppable;
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    for (const Argument& arg : program.calls[i].args)
      if (has_default(context, program.calls[i], arg.name)) droppable.emplace_back(i, arg.name);
  if (droppable.size() > 1)
    edits.push_back({"every argument that has a default", static_cast<int64_t>(droppable.size()), [droppable](const Program& p) {
                       std::optional<Program> result = p;
                       for (const auto& [call, name] : droppable)
                         if (result) result = without_argument(*result, call, name);
                       return result;
                     }});
  for (const auto& [call, name] : droppable)
    edits.push_back({fmt::format("call {} without {}", call, name), 1, [call = call, name = name](const Program& p) { return without_argument(p, call, name); }});

  for (std::size_t i = 0; i < program.calls.size(); ++i)
    for (const Argument& arg : program.calls[i].args) {
      const auto* list = arg.value.get_if<Value::List>();
      if (!list || list->size() < 2 || tensors_in(arg.value).empty()) continue;
      for (std::size_t chunk = list->size() / 2; chunk >= 1; chunk /= 2)
        for (std::size_t begin = 0; begin < list->size(); begin += chunk) {
          const std::size_t end = std::min(begin + chunk, list->size());
          edits.push_back({fmt::format("call {}: {} without elements {} to {}", i, arg.name, begin, end - 1), static_cast<int64_t>(chunk),
                           [i, name = arg.name, begin, end](const Program& p) { return without_elements(p, i, name, begin, end); }});
        }
    }
  return edits;
}

}  // namespace minrepro
