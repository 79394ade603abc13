#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/process.h"

namespace minrepro {

struct Ran {
  int status = -1;                 ///< exit status; 128 + n for a signal
  std::string output;
  std::string error;

  std::ptrdiff_t error_lines() const { return std::count(error.begin(), error.end(), '\n'); }
};

/// Runs a command to its end.
inline Ran run_command_line(std::vector<std::string> words, const std::string& folder = "", double seconds = 240) {
  const Result<ProcessEnd> end = run_process({.words = std::move(words), .folder = folder, .seconds = seconds});
  EXPECT_TRUE(end.ok()) << (end.ok() ? "" : end.error().message);
  if (!end.ok()) return {};
  EXPECT_FALSE(end->timed_out) << end->error;
  return {WIFSIGNALED(end->wait_status) ? 128 + WTERMSIG(end->wait_status) : WEXITSTATUS(end->wait_status), end->output, end->error};
}

/// Runs the built minrepro.
inline Ran run_minrepro(std::vector<std::string> words, const std::string& folder = "") {
  words.insert(words.begin(), MINREPRO_BUILD_DIR "/minrepro");
  return run_command_line(std::move(words), folder);
}

}  // namespace minrepro
