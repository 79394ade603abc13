// `minrepro explain --list` against the list of the kernels' assertions: each is in it, or the list says why no rule can be.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/command.h"

namespace minrepro {
namespace {
using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  for (char c : line)
    if (c == separator) cells.emplace_back();
    else cells.back() += c;
  return cells;
}

/// kind, file, line, function, read_in, expression, ops, rules, reason.
std::vector<std::vector<std::string>> kernel_asserts() {
  std::ifstream file(MINREPRO_SOURCE_DIR "/harness/asserts/kernel_asserts.tsv");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) rows.push_back(cells_of(line, '\t'));
  return rows;
}

std::map<std::string, json> listed() {
  const Ran ran = run_minrepro({"explain", "--list", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  const json document = json::parse(ran.output);
  std::map<std::string, json> rules;
  for (const json& rule : document["rules"]) rules[rule["rule"]] = rule;
  return rules;
}

bool prints(const json& rule, const std::string& file, const std::string& expression) {
  for (const json& printed : rule["printed"])
    if (printed["file"] == file && printed["expression"] == expression) return true;
  return false;
}

TEST(ExplainList, AccountsForEveryAssertion) {
  const std::map<std::string, json> rules = listed();
  int accounted = 0;
  for (const auto& row : kernel_asserts()) {
    ASSERT_EQ(row.size(), 9u);
    ++accounted;
    if (row[7] == "-") {
      EXPECT_NE(row[8], "") << row[1] << ":" << row[2] << " has neither a rule nor a reason";
      continue;
    }
    const std::vector<std::string> ids = cells_of(row[7], ',');
    for (const std::string& id : ids) {
      ASSERT_TRUE(rules.contains(id)) << id;
      EXPECT_EQ(rules.at(id)["cuda"], "asserts") << id;
    }
    if (row[5] == "<given at run time>") continue;
    const std::string file = row[0] == "async" ? "TensorCompare.cu" : row[1].substr(row[1].rfind('/') + 1);
    EXPECT_TRUE(prints(rules.at(ids.front()), file, row[5])) << ids.front() << ": " << file << ": " << row[5];
  }
  EXPECT_GT(accounted, 100);
}

TEST(ExplainList, SaysOfEachRuleWhatItAllowsAndWhatComesOfAViolation) {
  const std::map<std::string, json> rules = listed();
  EXPECT_GT(rules.size(), 90u);
  for (const auto& [id, rule] : rules) {
    EXPECT_FALSE(rule["ops"].empty()) << id;
    EXPECT_NE(rule["allowed"], "") << id;
    EXPECT_NE(rule["cpu"], "") << id;
    EXPECT_NE(rule["kernel"]["function"], "") << id;
  }
}

TEST(ExplainList, IsReadByPeople) {
  const Ran ran = run_minrepro({"explain", "--list"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.error, "");
  EXPECT_THAT(ran.output, HasSubstr("index_add.index\n"
                                    "  ops      aten::index_add, aten::index_reduce\n"
                                    "  allowed  index: 0 … size(self, dim) - 1, as uint32\n"
                                    "  CUDA     asserts, Indexing.cu:1021 indexFuncSmallIndex `dstIndex < dstAddDimSize`\n"
                                    "  CPU      index -1 is out of bounds for dimension 0 with size 3\n"));
}

TEST(ExplainList, IsAskedFor) {
  const Ran none = run_minrepro({"explain"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.error, "minrepro explain: nothing to explain: --list prints every rule\n");
  EXPECT_EQ(run_minrepro({"explain", "--list", "crash.log"}).status, 2);
}

}  // namespace
}  // namespace minrepro
