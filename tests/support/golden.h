#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "harness/base/files.h"

/// Texts that are compared with files under tests/golden; with MINREPRO_UPDATE_GOLDEN=1 they are written there.
namespace minrepro {

inline std::string golden_folder() { return MINREPRO_SOURCE_DIR "/tests/golden"; }

inline void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = golden_folder() + "/" + file;
  if (std::getenv("MINREPRO_UPDATE_GOLDEN") != nullptr) {
    const Status written = write_file(path, text);
    ASSERT_TRUE(written.ok()) << written.error().message;
    return;
  }
  const Result<std::string> wanted = read_file(path);
  ASSERT_TRUE(wanted.ok()) << path << " is missing; MINREPRO_UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(text, *wanted) << path << "; if the new text is better, MINREPRO_UPDATE_GOLDEN=1 writes it";
}

}  // namespace minrepro
