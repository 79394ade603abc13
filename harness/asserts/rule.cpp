#include "harness/asserts/rule.h"

#include <algorithm>
#include <map>

namespace minrepro {
namespace {

using Families = std::map<std::string_view, std::vector<const AssertRule*>, std::less<>>;

const Families& families() {
  static const Families all = [] {
    Families made;
    for (const AssertRule& rule : rule_table())
      for (std::string_view op : rule.ops) made[op].push_back(&rule);
    return made;
  }();
  return all;
}

/// Where the overload starts: the dot after the operator's name, or npos. Namespaces hold no dots.
std::size_t overload_dot(std::string_view op) {
  const std::size_t colons = op.rfind("::");
  return op.find('.', colons == std::string_view::npos ? 0 : colons + 2);
}

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "dimname", "dimname_out", "Dimname_Scalar", …
bool takes_dimension_names(std::string_view overload) { return overload.find("imname") != std::string_view::npos; }

}  // namespace

std::string rule_name_of(std::string_view op) {
  std::string_view name = op.substr(0, overload_dot(op));
  constexpr std::string_view kOut = "_out";
  if (name.ends_with(kOut)) name.remove_suffix(kOut.size());
  if (name.ends_with('_') && !name.ends_with("__") && !name.ends_with(":_")) name.remove_suffix(1);
  return std::string(name);
}

std::vector<const AssertRule*> rules_for(std::string_view op) {
  const auto family = families().find(std::string_view(rule_name_of(op)));
  if (family == families().end()) return {};
  const std::size_t dot = overload_dot(op);
  const std::string_view overload = dot == std::string_view::npos ? std::string_view() : op.substr(dot + 1);
  if (takes_dimension_names(overload)) return {};
  std::vector<const AssertRule*> rules;
  for (const AssertRule* rule : family->second)
    if (!holds(rule->not_overloads, overload)) rules.push_back(rule);
  return rules;
}

const AssertRule* find_rule(std::string_view id) {
  for (const AssertRule& rule : rule_table())
    if (rule.id == id) return &rule;
  return nullptr;
}

bool prints(const AssertRule& rule, std::string_view file, std::string_view expression) {
  if (rule.on_cuda != OnCuda::kAsserts) return false;
  const std::size_t slash = file.find_last_of("/\\");
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  if (rule.file == file && (rule.expression == expression || !rule.message_argument.empty())) return true;
  return std::any_of(rule.also_prints.begin(), rule.also_prints.end(),
                     [&](const Printed& printed) { return printed.file == file && printed.expression == expression; });
}

const AssertRule* find_rule_by_text(std::string_view file, std::string_view expression) {
  const AssertRule* seldom = nullptr;
  const AssertRule* messages = nullptr;
  for (const AssertRule& rule : rule_table()) {
    if (!prints(rule, file, expression)) continue;
    if (!rule.message_argument.empty()) messages = &rule;
    else if (std::none_of(rule.also_prints.begin(), rule.also_prints.end(), [&](const Printed& p) { return p.seldom && p.expression == expression; })) return &rule;
    else if (seldom == nullptr) seldom = &rule;
  }
  return seldom != nullptr ? seldom : messages;
}

}  // namespace minrepro
