#pragma once

#include <atomic>

namespace minrepro {

/// Set by the first Ctrl-C (SIGINT) or SIGTERM after `catch_interrupts`; a second one ends the process as usual. What is running then stops in good order.
const std::atomic<bool>& interrupted();
void catch_interrupts();

}  // namespace minrepro
