#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "harness/torch/worker/progress.h"

namespace minrepro {

struct ContainLimits {
  double seconds = 20;
  int64_t memory_bytes = 0;                    ///< private writable memory beyond what the parent has; 0: no limit (CUDA reserves far more than it uses)
  int jobs = 1;
};

/// How one child ended.
struct Ended {
  int wait_status = 0;
  bool timed_out = false;
  std::string result;                          ///< what `body` returned; empty if it did not get so far
  std::string stderr_text;                     ///< the first 256 KiB
  double seconds = 0;
  const Progress* progress = nullptr;          ///< valid during `ended`
};

/// Runs `body(i)` for i in [0, count), each in a forked child with its own process group, time and memory limit, at most `limits.jobs` at once,
/// and `ended(i, …)` in this process as they end. A child dies with this process. Returns false if `watched` (the pipe that the requests come from) is
/// closed by its other side meanwhile; the children are killed then. Precondition: this process has one thread.
bool contain(std::size_t count, const ContainLimits& limits, int watched, const std::function<std::string(std::size_t, Progress&)>& body,
             const std::function<void(std::size_t, const Ended&)>& ended);

/// Private writable memory of this process, in bytes: what RLIMIT_DATA limits.
int64_t data_space();

}  // namespace minrepro
