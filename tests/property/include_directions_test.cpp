// Arrows between the parts point one way, and only harness/torch knows LibTorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace minrepro {
namespace {
namespace fs = std::filesystem;

const fs::path kRoot = MINREPRO_SOURCE_DIR;

/// What each part may include besides itself.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"harness/base", {}},
    {"harness/program", {"harness/base"}},
    {"harness/asserts", {"harness/base", "harness/program"}},
    {"harness/failure", {"harness/base", "harness/asserts"}},
    {"harness/trace", {"harness/base", "harness/program", "harness/asserts", "harness/failure"}},
    {"harness/slice", {"harness/base", "harness/program", "harness/trace"}},
    {"harness/oracle", {"harness/base", "harness/program", "harness/failure"}},
    {"harness/emit", {"harness/base", "harness/program", "harness/asserts", "harness/failure"}},
    {"harness/torch/check", {"harness/asserts"}},
    {"harness/torch/sim", {"harness/asserts", "harness/torch/check"}},
    {"harness/torch/record", {"harness/asserts", "harness/program", "harness/trace", "harness/torch/check"}},
    {"harness/torch/worker", {"harness/base", "harness/program", "harness/asserts", "harness/failure", "harness/oracle", "harness/torch/sim"}},
    {"reducers", {"harness/base", "harness/program", "harness/asserts"}},
    {"tools", {"harness/base", "harness/program", "harness/asserts", "harness/failure", "harness/trace", "harness/slice", "harness/oracle", "harness/emit", "reducers"}},
};

/// "harness/program" for harness/program/schema.h; empty for a file of none.
std::string part_of(const std::string& path) {
  std::string best;
  for (const auto& [part, unused] : kMayInclude)
    if (path.starts_with(part + "/") && part.size() > best.size()) best = part;
  return best;
}

struct Source {
  std::string path;                    ///< from the root
  std::vector<std::string> quoted;     ///< of #include "…"
  std::vector<std::string> angled;     ///< of #include <…>
};

std::vector<Source> sources() {
  std::vector<Source> found;
  for (const char* folder : {"harness", "reducers", "tools"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      Source& source = found.emplace_back();
      source.path = fs::relative(entry.path(), kRoot).string();
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("#include ") || line.size() < 11) continue;
        const char close = line[9] == '<' ? '>' : '"';
        (line[9] == '<' ? source.angled : source.quoted).push_back(line.substr(10, line.find(close, 10) - 10));
      }
    }
  return found;
}

TEST(IncludeDirections, APartKnowsOnlyWhatLiesBelowIt) {
  std::set<std::string> seen;
  for (const Source& source : sources()) {
    const std::string part = part_of(source.path);
    ASSERT_NE(part, "") << source.path << " belongs to no part in this test's table";
    seen.insert(part);
    for (const std::string& include : source.quoted) {
      const std::string other = part_of(include);
      EXPECT_NE(other, "") << source.path << " includes \"" << include << "\": project headers are named from the root";
      EXPECT_TRUE(other == part || kMayInclude.at(part).contains(other)) << source.path << " includes " << include;
    }
  }
  for (const auto& [part, unused] : kMayInclude) EXPECT_TRUE(seen.contains(part)) << part << " has no sources";
}

TEST(IncludeDirections, OnlyHarnessTorchKnowsLibTorch) {
  int with_torch = 0;
  for (const Source& source : sources())
    for (const std::string& include : source.angled) {
      if (!include.starts_with("ATen/") && !include.starts_with("c10/") && !include.starts_with("torch/")) continue;
      ++with_torch;
      EXPECT_TRUE(source.path.starts_with("harness/torch/")) << source.path << " includes <" << include << ">";
    }
  EXPECT_GT(with_torch, 0);
}

TEST(IncludeDirections, TheTableHasNoCircle) {
  std::set<std::string> done;
  while (done.size() < kMayInclude.size()) {
    const std::size_t before = done.size();
    for (const auto& [part, below] : kMayInclude)
      if (std::includes(done.begin(), done.end(), below.begin(), below.end())) done.insert(part);
    ASSERT_GT(done.size(), before) << "the parts left include each other";
  }
}

}  // namespace
}  // namespace minrepro
