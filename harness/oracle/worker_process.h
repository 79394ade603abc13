#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace minrepro {

/// A child process with a pipe to its standard input, a pipe from its standard output, and its standard error kept in memory.
class WorkerProcess {
 public:
  /// Starts `command` (a path and its arguments). Errors: it cannot be executed.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& command);
  ~WorkerProcess();                              ///< closes the pipes, then kills it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int to() const { return to_; }
  int from() const { return from_; }
  /// What it has written to standard error since the last `forget_stderr` (the last 64 KiB of it).
  std::string stderr_text() const;
  void forget_stderr();
  /// Kills it if it still runs. Its wait status, as waitpid gives it.
  int end();

 private:
  WorkerProcess() = default;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  int stderr_ = -1;
  int wait_status_ = 0;
};

}  // namespace minrepro
