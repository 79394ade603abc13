#include "harness/torch/sim/launch_state.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

#include <c10/util/Exception.h>
#include <fmt/format.h>

namespace minrepro::sim {
namespace {

/// An error that stays with a CUDA context.
struct StickyError {
  int code;
  std::string_view name;
  std::string_view text;
};
constexpr StickyError kAssert{710, "cudaErrorAssert", "device-side assert triggered"};
constexpr StickyError kIllegalAddress{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"};

const StickyError& sticky_error(OnCuda kind) { return kind == OnCuda::kIllegalAccess ? kIllegalAddress : kAssert; }

struct State {
  std::atomic<bool> poisoned = false;   ///< all that a healthy launch has to look at
  std::atomic<bool> surfaced = false;
  std::atomic<int> launches_since = 0;
  std::mutex mutex;                     ///< guards `poison`
  std::optional<Poison> poison;
};

/// Never destroyed: tensors of other static objects may go after us.
State& state() {
  static State* instance = new State;
  return *instance;
}

}  // namespace

bool is_launch_blocking() {
  static const bool blocking = [] {
    const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return blocking;
}

std::string sticky_error_text(OnCuda kind) {
  const StickyError& error = sticky_error(kind);
  std::string text = fmt::format(
      "CUDA error: {}\nSearch for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.", error.text, error.name);
  if (!is_launch_blocking()) {
    text +=
        "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
        "\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1";
  }
  return text + "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";
}

void raise_sticky_error() {
  state().surfaced = true;
  const auto poison = poison_of_device();
  const OnCuda kind = poison ? poison->rule->on_cuda : OnCuda::kAsserts;
  throw c10::AcceleratorError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, sticky_error(kind).code, sticky_error_text(kind));
}

void on_launch() {
  State& s = state();
  if (!s.poisoned.load(std::memory_order_acquire)) return;
  if (s.surfaced || ++s.launches_since > kLaunchesUntilSurfacing) raise_sticky_error();
}

void on_device_use() {
  if (state().surfaced.load(std::memory_order_acquire)) raise_sticky_error();
}

void on_synchronize() {
  if (state().poisoned.load(std::memory_order_acquire)) raise_sticky_error();
}

bool is_poisoned() { return state().poisoned.load(std::memory_order_acquire); }

void poison_device(Poison poison) {
  State& s = state();
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    if (!s.poison) {
      s.poison = std::move(poison);
      s.launches_since = 0;
      s.poisoned.store(true, std::memory_order_release);
    }
  }
  if (is_launch_blocking()) raise_sticky_error();
}

std::optional<Poison> poison_of_device() {
  State& s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  return s.poison;
}

void reset_device() {
  State& s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.poison.reset();
  s.launches_since = 0;
  s.surfaced = false;
  s.poisoned = false;
}

}  // namespace minrepro::sim
