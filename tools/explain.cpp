#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/asserts/words.h"
#include "tools/command_line.h"

namespace minrepro {
namespace {

/// The program that shows the rule being violated, in the repository.
std::string program_of(const AssertRule& rule) { return fmt::format("corpus/rules/{}.json", rule.id); }

nlohmann::json json_of(const AssertRule& rule) {
  nlohmann::json printed = nlohmann::json::array();
  if (rule.on_cuda == OnCuda::kAsserts) printed.push_back({{"file", rule.file}, {"expression", rule.expression}});
  for (const Printed& other : rule.also_prints) printed.push_back({{"file", other.file}, {"expression", other.expression}});
  return {{"rule", rule.id},
          {"ops", rule.ops},
          {"allowed", allowed_words(rule)},
          {"cuda", name_of(rule.on_cuda)},
          {"kernel", {{"file", rule.file}, {"line", rule.line}, {"function", rule.function}, {"read_in", rule.read_in}}},
          {"printed", std::move(printed)},
          {"cpu", cpu_outcome(rule.id)},
          {"tried_with", program_of(rule)},
          {"cause", rule.cause},
          {"mend", rule.mend}};
}

void print(const AssertRule& rule) {
  fmt::print("{}\n  ops      {}\n  allowed  {}\n  CUDA     {}\n  CPU      {}\n\n", rule.id, fmt::join(rule.ops, ", "), allowed_words(rule), cuda_words(rule),
             cpu_outcome(rule.id));
}

}  // namespace

int explain_command(int argc, char** argv) {
  cxxopts::Options options("minrepro explain", "Prints what CUDA's kernels check, and what comes of a violation on CUDA and on the CPU.");
  options.custom_help("--list [--json]");
  options.add_options()
      ("list", "every assert rule: operators, what is allowed, what CUDA does otherwise, what the CPU does")
      ("json", "the same as one JSON document");
  cxxopts::ParseResult parsed;
  const auto status = parse_options(options, "explain",
                                    "minrepro explain --list | grep -A4 embedding\n\n"
                                    "The CPU's outcome is that of 2.11.0 for the program corpus/rules/RULE.json: minrepro run corpus/rules/RULE.json --device cpu",
                                    argc, argv, parsed);
  if (status) return *status;
  if (!parsed.unmatched().empty()) return complain("explain", fmt::format("'{}' is not expected here; see --help", parsed.unmatched().front()));
  if (parsed.count("list") == 0) return complain("explain", "nothing to explain: --list prints every rule");
  if (parsed.count("json") > 0) {
    nlohmann::json rules = nlohmann::json::array();
    for (const AssertRule& rule : rule_table()) rules.push_back(json_of(rule));
    fmt::print("{}\n", nlohmann::json{{"torch", "2.11.0"}, {"rules", std::move(rules)}}.dump(2));
    return kDone;
  }
  for (const AssertRule& rule : rule_table()) print(rule);
  return kDone;
}

}  // namespace minrepro
