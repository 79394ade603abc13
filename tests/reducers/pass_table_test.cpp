#include "reducers/pass_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace minrepro {
namespace {
namespace fs = std::filesystem;

TEST(PassTable, EveryPassFileHasItsRowAndItsTest) {
  std::set<std::string> rows, files;
  for (const PassRow& row : pass_table()) rows.emplace(row.name);
  for (const auto& entry : fs::directory_iterator(fs::path(MINREPRO_SOURCE_DIR) / "reducers/passes")) files.insert(entry.path().stem().string());
  EXPECT_EQ(rows, files);
  for (const std::string& name : rows) EXPECT_TRUE(fs::exists(fs::path(MINREPRO_SOURCE_DIR) / "tests/reducers/passes" / (name + "_test.cpp"))) << name;
}

TEST(PassTable, TiersComeInOrderAndEveryRowSaysWhatItDoes) {
  const auto rows = pass_table();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const PassRow& a, const PassRow& b) { return a.tier < b.tier; }));
  for (const PassRow& row : rows) EXPECT_FALSE(row.summary.empty());
}

}  // namespace
}  // namespace minrepro
