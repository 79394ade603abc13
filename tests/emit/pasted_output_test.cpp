#include "harness/emit/pasted_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minrepro::emit {
namespace {

TEST(PastedOutput, LeavesBacktracesOut) {
  EXPECT_EQ(pasted_output("terminate called\n  what():  bad index\nException raised from f at /a/b.cpp:3 (most recent call first):\n"
                          "frame #0: c10::Error::Error(x) + 0x9d (0x7f in /home/me/libc10.so)\nframe #1: main + 0x1\n\nafter\n"),
            "terminate called\n  what():  bad index\n\nafter");
  EXPECT_EQ(pasted_output("C++ CapturedTraceback:\n#4 c10::Error::Error(x) from ??:0\n#5 f(int) from /a/b.cpp:3\nend"), "end");
}

TEST(PastedOutput, NamesNoFolderOfThisMachine) {
  EXPECT_EQ(pasted_output("/tmp/minrepro-verify-3/build/repro: symbol lookup error"), "repro: symbol lookup error");
  EXPECT_EQ(pasted_output("cannot load '/home/me/x/libmy_ops.so' (/opt/b.so)"), "cannot load 'libmy_ops.so' (b.so)");
  EXPECT_EQ(pasted_output("  File \"/home/me/train.py\", line 3"), "  File \"train.py\", line 3");
}

TEST(PastedOutput, KeepsWhatOnlyLooksLikeAFolder) {
  for (const char* text : {"/pytorch/aten/src/ATen/native/cuda/Loss.cu:9: f: block: [0,0,0] Assertion `t >= 0` failed.",
                           "see https://docs.nvidia.com/cuda/x for more", "a / b", "call(/*dim=*/1)", "1/2", "and/or", "/"})
    EXPECT_EQ(pasted_output(text), text);
}

TEST(PastedOutput, HoldsNothingThatATextCannot) {
  EXPECT_EQ(pasted_output("\x1b[31mred\r\n\n\n\nend \n\n"), "[31mred\n\nend");
  EXPECT_EQ(pasted_output(""), "");
  EXPECT_EQ(pasted_output("\n\n"), "");
}

TEST(PastedOutput, IsCutAtALine) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "0123456789\n";
  const std::string text = pasted_output(many);
  EXPECT_LT(text.size(), 4100U);
  EXPECT_THAT(text, testing::EndsWith("0123456789\n…"));
}

}  // namespace
}  // namespace minrepro::emit
