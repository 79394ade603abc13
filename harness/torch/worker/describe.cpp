#include "harness/torch/worker/describe.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace minrepro {
namespace {

struct Variants {
  bool function = false;
  bool method = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// native_functions.yaml, read line by line: "- func: NAME(…", then indented "variants: function, method" and "autogen: NAME, NAME" (operators that
/// torchgen derives from it; they are functions).
std::map<std::string, Variants, std::less<>> read_variants(const char* path) {
  std::map<std::string, Variants, std::less<>> all;
  std::ifstream file(path);
  Variants* current = nullptr;
  for (std::string line; std::getline(file, line);) {
    std::string_view text = line;
    if (text.starts_with("- func:")) {
      text = trimmed(text.substr(7));
      current = &all["aten::" + std::string(text.substr(0, text.find('(')))];
      current->function = true;  // the default variant
      continue;
    }
    text = trimmed(text);
    if (current != nullptr && text.starts_with("variants:")) {
      current->function = text.find("function") != std::string_view::npos;
      current->method = text.find("method") != std::string_view::npos;
    } else if (current != nullptr && text.starts_with("autogen:")) {
      std::istringstream names{std::string(text.substr(8))};
      for (std::string name; std::getline(names, name, ',');) all["aten::" + std::string(trimmed(name))].function = true;
    }
  }
  return all;
}

}  // namespace

std::string describe_operators() {
  const auto variants = read_variants(MINREPRO_NATIVE_FUNCTIONS);
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<c10::OperatorName> names = dispatcher.getAllOpNames();
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return std::tie(a.name, a.overload_name) < std::tie(b.name, b.overload_name);
  });
  nlohmann::json ops = nlohmann::json::array();
  for (const c10::OperatorName& name : names) {
    const auto op = dispatcher.findSchema(name);
    if (!op) continue;  // a kernel without an operator
    std::ostringstream schema;
    schema << op->schema();
    const auto found = variants.find(c10::toString(name));
    const Variants known = found == variants.end() ? Variants{} : found->second;
    ops.push_back({{"schema", schema.str()}, {"function", known.function}, {"method", known.method}});
  }
  const nlohmann::json catalog = {{"torch", TORCH_VERSION}, {"ops", std::move(ops)}};
  return catalog.dump(0, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace minrepro
