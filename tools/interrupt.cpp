#include "tools/interrupt.h"

#include <csignal>

namespace minrepro {
namespace {
std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void on_signal(int) { g_interrupted.store(true, std::memory_order_relaxed); }
}  // namespace

const std::atomic<bool>& interrupted() { return g_interrupted; }

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace minrepro
