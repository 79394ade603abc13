#include <fmt/core.h>

#include "reducers/pass_table.h"
#include "reducers/shorter_numbers.h"

namespace minrepro {
namespace {

std::optional<Program> with_number(const Program& program, std::size_t call, const std::string& name, int position, const Value& number) {
  Program result = program;
  Value* value = call < result.calls.size() ? result.calls[call].find(name) : nullptr;
  if (!value) return std::nullopt;
  if (position >= 0) {
    auto* list = value->get_if<Value::List>();
    if (!list || static_cast<std::size_t>(position) >= list->size()) return std::nullopt;
    value = &(*list)[static_cast<std::size_t>(position)];
  }
  *value = number;
  return result;
}

std::vector<Value> shorter(const Value& value) {
  std::vector<Value> result;
  if (const auto* integer = value.get_if<int64_t>())
    for (const int64_t candidate : shorter_integers(*integer)) result.emplace_back(candidate);
  if (const auto* real = value.get_if<double>())
    for (const double candidate : shorter_reals(*real)) result.emplace_back(candidate);
  if (const auto* flag = value.get_if<bool>(); flag && *flag) result.emplace_back(false);
  return result;
}

}  // namespace

std::vector<Edit> simplify_numbers(const Program& program, const PassContext&) {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    for (const Argument& arg : program.calls[i].args) {
      const auto add = [&](const Value& value, int position) {
        for (Value& number : shorter(value))
          edits.push_back({fmt::format("call {}: a shorter number for {}", i, arg.name), 1,
                           [i, name = arg.name, position, number](const Program& p) { return with_number(p, i, name, position, number); }});
      };
      add(arg.value, -1);
      if (const auto* list = arg.value.get_if<Value::List>())
        for (std::size_t k = 0; k < list->size(); ++k) add((*list)[k], static_cast<int>(k));
    }
  return edits;
}

}  // namespace minrepro
