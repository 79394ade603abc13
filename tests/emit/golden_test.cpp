#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/emit/emit.h"
#include "harness/program/text_form.h"
#include "tests/emit/catalog.h"
#include "tests/support/golden.h"

namespace minrepro {
namespace {

/// Every tests/golden/emit/NAME.json is a program; beside it lie the texts that are made of it.
std::vector<std::string> golden_programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder() + "/emit"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Result<std::string> text = read_file(golden_folder() + "/emit/" + GetParam() + ".json");
    ASSERT_TRUE(text.ok());
    Result<Program> program = program_from_text(*text);
    ASSERT_TRUE(program.ok()) << program.error().message;
    program_ = *program;
    if (GetParam() == "custom_op") expectation_.libraries = {"build/libmy_ops.so"};
  }

  Program program_;
  OpCatalog catalog_ = emit_catalog();
  Expectation expectation_;
};

TEST_P(Golden, ReadableCpp) {
  const auto text = emit_repro_cpp(program_, catalog_, expectation_, EmitStyle::kReadable);
  ASSERT_TRUE(text.ok()) << text.error().message;
  expect_golden("emit/" + GetParam() + ".cpp", *text);
}

TEST_P(Golden, DispatcherCpp) {
  const auto text = emit_repro_cpp(program_, catalog_, expectation_, EmitStyle::kDispatcher);
  ASSERT_TRUE(text.ok()) << text.error().message;
  expect_golden("emit/" + GetParam() + ".dispatcher.cpp", *text);
}

TEST_P(Golden, Python) {
  const auto text = emit_repro_py(program_, catalog_, expectation_);
  ASSERT_TRUE(text.ok()) << text.error().message;
  expect_golden("emit/" + GetParam() + ".py", *text);
}

TEST_P(Golden, NoLineIsHardToRead) {
  for (const EmitStyle style : {EmitStyle::kReadable, EmitStyle::kDispatcher}) {
    const auto text = emit_repro_cpp(program_, catalog_, expectation_, style);
    ASSERT_TRUE(text.ok());
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      EXPECT_LE(end - at, 120U) << text->substr(at, end - at);
      EXPECT_TRUE(end == at || (*text)[end - 1] != ' ') << text->substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST_P(Golden, SaysNothingOfMinrepro) {
  const auto text = emit_repro_cpp(program_, catalog_, expectation_, EmitStyle::kReadable);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, testing::Not(testing::HasSubstr("minrepro")));
}

INSTANTIATE_TEST_SUITE_P(Programs, Golden, testing::ValuesIn(golden_programs()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace minrepro
