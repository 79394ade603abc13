#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emit/emit.h"
#include "harness/emit/headline.h"
#include "tests/emit/catalog.h"
#include "tests/support/golden.h"
#include "tests/support/programs.h"

namespace minrepro {
namespace {

Program gather() {
  Program program = program_of(
      R"({"id": 0, "dtype": "float32", "shape": [2, 3], "constant": 0}, {"id": 1, "dtype": "int64", "shape": [2, 1], "values": [1, 7]})",
      R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]})");
  program.torch_version = "2.11.0";
  return program;
}

Expectation simulated_assert() {
  Expectation e;
  e.rule = find_rule("scatter_gather.index");
  e.signature = {FailureKind::kDeviceAssert, "aten::gather", "scatter_gather.index"};
  e.violation_text = "index holds 7 at [1, 0]; dimension 1 of self has size 3, so 0 … 2 are allowed";
  e.simulated = true;
  e.repeats = e.failed = 3;
  e.exception_type = "c10::AcceleratorError";
  e.environment = "Debian GNU/Linux 12 (bookworm), c++ 12.2.0";
  e.output =
      "/pytorch/aten/src/ATen/native/cuda/ScatterGatherKernel.cu:365: operator(): block: [0,0,0], thread: [1,0,0] Assertion `idx_dim >= 0` failed.\n"
      "terminate called after throwing an instance of 'c10::AcceleratorError'\n  what():  CUDA error: device-side assert triggered\n\n"
      "Exception raised from raise_sticky_error at /home/me/launch_state.cpp:54 (most recent call first):\nframe #0: f(int) + 0x9d (0x7f in /home/me/libc10.so)\n";
  return e;
}

Expectation exception() {
  Expectation e;
  e.signature = {FailureKind::kException, "aten::gather", "index N is out of bounds"};
  e.exception_type = "c10::IndexError";
  e.message = "index 7 is out of bounds for dimension 1 with size 3\nsecond line";
  e.libraries = {"/home/me/build/libmy_ops.so"};
  return e;
}

std::string issue_of(const Expectation& expectation) {
  const Program program = gather();
  const OpCatalog catalog = emit_catalog();
  const auto cpp = emit_repro_cpp(program, catalog, expectation, EmitStyle::kReadable);
  const auto py = emit_repro_py(program, catalog, expectation);
  EXPECT_TRUE(cpp.ok() && py.ok());
  return emit_issue_markdown(program, expectation, *cpp, *py);
}

TEST(Issue, OfADeviceAssert) { expect_golden("emit/issue_device_assert.md", issue_of(simulated_assert())); }

TEST(Issue, OfAnException) {
  Expectation e = exception();
  e.libraries.clear();
  expect_golden("emit/issue_exception.md", issue_of(e));
}

TEST(Issue, OfASignalThatWasNotVerified) {
  Expectation e;
  e.signature = {FailureKind::kSignal, "aten::gather", "SIGSEGV"};
  expect_golden("emit/issue_signal.md", issue_of(e));
}

TEST(Issue, HoldsNothingOfThisMachineOutsideOfThePrograms) {
  for (const Expectation& e : {simulated_assert(), exception()}) {
    const std::string text = emit_issue_markdown(gather(), e, "", "");
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("/home/me")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("frame #")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("Exception raised from")));
  }
}

TEST(Issue, ABlockIsFencedWhateverItHolds) {
  Expectation e = exception();
  e.output = "```\nnot the end\n````";
  EXPECT_THAT(emit_issue_markdown(gather(), e, "", ""), testing::HasSubstr("`````\n```\nnot the end\n````\n`````\n"));
}

TEST(Headline, IsOneLine) {
  using emit::headline_of;
  Expectation e = exception();
  EXPECT_EQ(headline_of(gather(), e), "aten::gather: index 7 is out of bounds for dimension 1 with size 3");
  e.headline = "Gather dies\nof an index";
  EXPECT_EQ(headline_of(gather(), e), "Gather dies");
  Expectation hang;
  hang.signature.kind = FailureKind::kHang;
  EXPECT_EQ(headline_of(gather(), hang), "aten::gather never returns");
}

TEST(Headline, ACommentDoesNotSwallowTheLineBehindIt) {
  Expectation e = exception();
  e.message = "no file C:\\data\\\nmore";
  EXPECT_EQ(emit::opening_comment(gather(), e, "// ").find("\\\n"), std::string::npos);
  e.message = "a\r#include \x1b[31mred";
  const std::string text = emit::opening_comment(gather(), e, "// ");
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos) << text;
}

TEST(Headline, WhatToExpectNamesTheAssertion) {
  using emit::what_to_expect;
  EXPECT_EQ(what_to_expect(gather(), simulated_assert()),
            "Expect on CUDA: ScatterGatherKernel.cu, Assertion `idx_dim >= 0 && idx_dim < index_size && \"scatter gather kernel index out of bounds\"` failed.");
  Expectation unknown;
  unknown.signature = {FailureKind::kDeviceAssert, "aten::gather", "Own.cu: i < n"};
  EXPECT_EQ(what_to_expect(gather(), unknown), "Expect on CUDA: Own.cu, Assertion `i < n` failed.");
  EXPECT_EQ(what_to_expect(gather(), {}), "");
}

}  // namespace
}  // namespace minrepro
