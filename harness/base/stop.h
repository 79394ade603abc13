#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>

namespace minrepro {

/// When to stop: a deadline, an interrupt, or both. Clock and interrupt are injected, so that tests need neither time nor signals.
class StopCondition {
 public:
  using Clock = std::function<double()>;   ///< seconds, monotonic

  static double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// `budget_seconds` from now on; infinity for none. `interrupted` may be null.
  explicit StopCondition(double budget_seconds = std::numeric_limits<double>::infinity(), const std::atomic<bool>* interrupted = nullptr,
                         Clock clock = steady_seconds)
      : clock_(std::move(clock)), start_(clock_()), budget_(budget_seconds), interrupted_(interrupted) {}

  bool interrupted() const { return interrupted_ && interrupted_->load(std::memory_order_relaxed); }
  bool out_of_time() const { return elapsed() > budget_; }
  bool should_stop() const { return interrupted() || out_of_time(); }
  double elapsed() const { return clock_() - start_; }

 private:
  Clock clock_;
  double start_;
  double budget_;
  const std::atomic<bool>* interrupted_;
};

}  // namespace minrepro
