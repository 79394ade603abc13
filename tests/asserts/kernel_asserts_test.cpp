// The list of every assertion in a release's kernels, and the table of rules that models them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/asserts/rule.h"

namespace minrepro {
namespace {

constexpr std::string_view kGivenAtRunTime = "<given at run time>";
constexpr std::string_view kPrintsMessages = "TensorCompare.cu";

struct Row {
  std::string kind, file, line, function, read_in, expression, ops, rule, reason;
  std::string text() const { return file + ":" + line + ": " + expression; }
};

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator) parts.emplace_back(); else parts.back() += c;
  return parts;
}

std::vector<Row> read_list() {
  std::ifstream file(MINREPRO_SOURCE_DIR "/harness/asserts/kernel_asserts.tsv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const auto cells = parts_of(line, '\t');
    EXPECT_EQ(cells.size(), 9u) << line;
    if (cells.size() == 9) rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]});
  }
  EXPECT_FALSE(rows.empty());
  return rows;
}

const std::vector<Row>& list() {
  static const std::vector<Row> rows = read_list();
  return rows;
}

std::vector<std::string> rules_of(const Row& row) { return row.rule == "-" ? std::vector<std::string>() : parts_of(row.rule, ','); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The file that the assertion line of a log names.
std::string printed_file(const Row& row) { return row.kind == "async" ? std::string(kPrintsMessages) : name_of(row.file); }
bool has_text(const Row& row) { return !row.expression.empty() && row.expression != kGivenAtRunTime; }

TEST(KernelAsserts, EveryRuleThatARowNamesIsInTheTable) {
  for (const Row& row : list())
    for (const std::string& id : rules_of(row)) EXPECT_NE(find_rule(id), nullptr) << row.text() << ": " << id;
}

TEST(KernelAsserts, TheFirstRuleOfARowKnowsItsText) {
  for (const Row& row : list()) {
    const auto rules = rules_of(row);
    if (rules.empty() || !has_text(row)) continue;
    const AssertRule* rule = find_rule_by_text(printed_file(row), row.expression);
    EXPECT_EQ(rule ? rule->id : "none", rules[0]) << row.text();
  }
}

TEST(KernelAsserts, EveryRuleOfARowPrintsItsText) {
  for (const Row& row : list())
    for (const std::string& id : rules_of(row)) {
      const AssertRule* rule = find_rule(id);
      if (rule == nullptr || !has_text(row) || rule->on_cuda != OnCuda::kAsserts) continue;
      EXPECT_TRUE(prints(*rule, printed_file(row), row.expression)) << row.text() << ": " << id;
    }
}

TEST(KernelAsserts, RowsWithoutARuleSayWhy) {
  for (const Row& row : list()) {
    EXPECT_TRUE(row.rule != "-" || !row.reason.empty()) << row.text();
    EXPECT_TRUE(row.kind == "device" || row.kind == "async") << row.text();
    EXPECT_NE(row.ops, "") << row.text();
  }
}

TEST(KernelAsserts, EveryRuleThatAssertsIsNamedForAllItsOperators) {
  std::map<std::string, std::set<std::string>, std::less<>> operators;
  for (const Row& row : list())
    for (const std::string& id : rules_of(row))
      for (const std::string& op : parts_of(row.ops, ',')) operators[id].insert(op);
  for (const AssertRule& rule : rule_table()) {
    if (rule.on_cuda != OnCuda::kAsserts) continue;
    for (std::string_view op : rule.ops) EXPECT_TRUE(operators[std::string(rule.id)].count(std::string(op))) << rule.id << ": " << op;
  }
}

bool is_row(std::string_view file, int line, std::string_view function, std::string_view expression, std::string_view read_in) {
  for (const Row& row : list()) {
    if (printed_file(row) != file || row.expression != expression) continue;
    if (row.kind == "async" || row.read_in != read_in || (row.line == std::to_string(line) && row.function == function)) return true;
  }
  return false;
}

/// A simulated device prints a rule's file, line, function and expression: those of a row, if they were read in the same release.
TEST(KernelAsserts, EveryRulePrintsARow) {
  for (const AssertRule& rule : rule_table()) {
    if (rule.on_cuda != OnCuda::kAsserts) continue;
    EXPECT_TRUE(is_row(rule.file, rule.line, rule.function, rule.expression, rule.read_in)) << rule.id;
    EXPECT_EQ(rule.read_in, "2.11.0") << rule.id;
    for (const Printed& other : rule.also_prints) {
      if (other.line == 0) continue;
      EXPECT_TRUE(is_row(other.file, other.line, other.function, other.expression, rule.read_in)) << rule.id << ": " << other.line;
    }
  }
}

}  // namespace
}  // namespace minrepro
