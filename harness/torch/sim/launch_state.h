#pragma once

#include <optional>
#include <string>

#include "harness/asserts/rule.h"

/// What the CUDA context of a process keeps: whether a kernel failed, and when its callers get to know. One state for the process, safe to use
/// from several threads; it has none of its own. A context begins with its first use (`begin_context`, or any of the `on_` functions), and does not
/// survive fork: in a child process each use throws c10::AcceleratorError, code 3 (cudaErrorInitializationError), until `reset_device`.
namespace minrepro::sim {

/// A poisoned device reports its error at the latest when this many kernels were launched after the one that failed.
constexpr int kLaunchesUntilSurfacing = 20;

/// The violation that poisoned the device.
struct Poison {
  std::string op;
  const AssertRule* rule = nullptr;     ///< of a kind that fails: it asserts, or makes an illegal access
  std::string text;
  Printed printed;                      ///< where and what the kernel printed
  std::string expression;               ///< `printed.expression`, or the caller's message
};

/// The context begins, if it has not yet: what is forked from now on is without one. Throws c10::Error if the process cannot be told of forks.
void begin_context();

/// Whether this process was forked from one whose context had begun.
bool is_in_forked_child();

/// A kernel is about to be launched. Throws the sticky error if the device was poisoned kLaunchesUntilSurfacing launches ago, or if its error
/// surfaced already.
void on_launch();

/// Work that does not launch a kernel (an allocation): throws the sticky error if it surfaced already.
void on_device_use();

/// The host waits for the device: throws the sticky error if the device is poisoned.
void on_synchronize();

/// Whether a kernel failed in this process (or since `reset_device`).
bool is_poisoned();

/// A kernel failed. The first one counts. Throws the sticky error at once if CUDA_LAUNCH_BLOCKING is 1.
void poison_device(Poison poison);

/// Throws c10::AcceleratorError, code 710 (cudaErrorAssert) or 700 (cudaErrorIllegalAddress), and makes every later use of the device throw it too.
[[noreturn]] void raise_sticky_error();

/// A copy of what poisoned the device; nullopt if nothing did.
std::optional<Poison> poison_of_device();

/// No context, so no poison and no launches: as at the start of a process.
void reset_device();

/// Whether CUDA_LAUNCH_BLOCKING is 1, read when first asked, as CUDA does.
bool is_launch_blocking();

/// The text of the sticky error as torch 2.11's c10_cuda_check_implementation composes it.
std::string sticky_error_text(OnCuda kind);

}  // namespace minrepro::sim
