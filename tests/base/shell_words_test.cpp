#include "harness/base/shell_words.h"

#include <gtest/gtest.h>

namespace minrepro {
namespace {

TEST(ShellWords, PlainOnesStay) { EXPECT_EQ(shell_words({"python", "-m", "pytest", "tests/a_b.py::x", "--n=1,2"}), "python -m pytest tests/a_b.py::x --n=1,2"); }

TEST(ShellWords, OthersComeBackFromAShellAsTheyWere) {
  EXPECT_EQ(shell_words({"python", "-c", "import torch; print('a')"}), R"(python -c 'import torch; print('\''a'\'')')");
  EXPECT_EQ(shell_words({"my train.trace", "", "$HOME", "größe"}), "'my train.trace' '' '$HOME' größe");
}

}  // namespace
}  // namespace minrepro
