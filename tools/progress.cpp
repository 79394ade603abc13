#include "tools/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/stop.h"

namespace minrepro {

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) != 0), start_(StopCondition::steady_seconds()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void Progress::show(const std::string& text) {
  const double now = StopCondition::steady_seconds();
  if (!is_terminal_ || now - start_ < 2 || now - last_ < 0.1) return;
  last_ = now;
  shown_ = true;
  winsize size{};
  const std::size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  fmt::print(stderr, "\r\033[K{}", text.substr(0, width));
  std::fflush(stderr);
}

}  // namespace minrepro
