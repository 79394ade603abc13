#include <gtest/gtest.h>

#include "harness/failure/failure.h"

namespace minrepro {
namespace {

TEST(NormaliseMessage, NumbersAndShapesGo) {
  EXPECT_EQ(normalise_message("index 5 is out of bounds for dimension 1 with size 5"), "index N is out of bounds for dimension N with size N");
  EXPECT_EQ(normalise_message("index 5 is out of bounds for dimension 1 with size 5"), normalise_message("index -731 is out of bounds for dimension 0 with size 500"));
  EXPECT_EQ(normalise_message("shape '[2, 3]' is invalid for input of size 7"), normalise_message("shape '[-1, 30, 4]' is invalid for input of size 1"));
  EXPECT_EQ(normalise_message("sizes [] and [1,2]"), "sizes [N] and [N]");
  EXPECT_EQ(normalise_message("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"), "mat1 and mat2 shapes cannot be multiplied (N and N)");
  EXPECT_EQ(normalise_message("got (2, 3) and (7,)"), "got (N) and (N)");
  EXPECT_EQ(normalise_message("value 1.5e-3 not in 0.25"), "value N not in N");
  EXPECT_EQ(normalise_message("at 0x7f12ab: bad"), "at N: bad");
}

TEST(NormaliseMessage, NamesStay) {
  EXPECT_EQ(normalise_message("\"conv2d_kernel\" not implemented for 'Float8_e4m3fn'"), "\"conv2d_kernel\" not implemented for 'Float8_e4m3fn'");
  EXPECT_EQ(normalise_message("expected int64, not int32"), "expected int64, not int32");
  EXPECT_EQ(normalise_message("Dimension N/A and and/or"), "Dimension N/A and and/or");
}

TEST(NormaliseMessage, PositionsAndBacktracesGo) {
  EXPECT_EQ(normalise_message("ptr INTERNAL ASSERT FAILED at \"/pytorch/aten/src/ATen/native/X.cpp\":66, please report a bug\n"),
            normalise_message("ptr INTERNAL ASSERT FAILED at \"../aten/src/ATen/native/X.cpp\":970, please report a bug"));
  EXPECT_EQ(normalise_message("bad thing\nException raised from f at /a/b.cpp:3 (most recent call first):\nframe #0: 0x123"), "bad thing");
  EXPECT_EQ(normalise_message("CUDA error: invalid argument\nCUDA kernel errors might be asynchronously reported\nCompile with…"), "CUDA error: invalid argument");
}

TEST(NormaliseMessage, OneShortLineOfWholeCharacters) {
  std::string text = "a";  // so that the limit lies inside a character
  for (int i = 0; i < 200; ++i) text += "é\n";
  const std::string short_text = normalise_message(text);
  EXPECT_LE(short_text.size(), 300u);
  EXPECT_EQ(short_text.find('\n'), std::string::npos);
  EXPECT_EQ(short_text.find("\xC3 "), std::string::npos);
  EXPECT_EQ(short_text.substr(short_text.size() - 2), "é");
}

TEST(NormaliseMessage, IsItsOwnNormalForm) {
  for (const char* text : {"index 5 is out of bounds for dimension 1 with size 5", "sizes [1,2] (3, 4) 'x' \"7\"", "at \"/a/b.cpp\":66, please"}) {
    const std::string once = normalise_message(text);
    EXPECT_EQ(normalise_message(once), once);
  }
}

}  // namespace
}  // namespace minrepro
