#include "harness/torch/sim/launch_state.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

#include <c10/util/Exception.h>
#include <fmt/format.h>

namespace minrepro::sim {
namespace {

/// An error of the CUDA runtime.
struct CudaError {
  int code;
  std::string_view name;
  std::string_view text;
};
constexpr CudaError kInitializationError{3, "cudaErrorInitializationError", "initialization error"};
// These stay with a context.
constexpr CudaError kAssert{710, "cudaErrorAssert", "device-side assert triggered"};
constexpr CudaError kIllegalAddress{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"};

const CudaError& sticky_error(OnCuda kind) { return kind == OnCuda::kIllegalAccess ? kIllegalAddress : kAssert; }

enum class Context { kNone, kBegun, kLostByFork };

struct State {
  std::atomic<Context> context = Context::kNone;
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

const char* how_to_find_it() {
  return is_launch_blocking() ? ""
                              : "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
                                "\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1";
}

/// The text of `error` as torch 2.11's c10_cuda_check_implementation composes it.
std::string error_text(const CudaError& error) {
  return fmt::format("CUDA error: {}\nSearch for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.{}"
                     "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
                     error.text, error.name, how_to_find_it());
}

[[noreturn]] void raise(const CudaError& error) {
  throw c10::AcceleratorError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, error.code, error_text(error));
}

/// To be called by each use of the device.
void use_context(State& s) {
  const Context context = s.context.load(std::memory_order_acquire);
  if (context == Context::kBegun) return;
  if (context == Context::kLostByFork) raise(kInitializationError);
  begin_context();
}

}  // namespace

void begin_context() {
  static const bool watching = pthread_atfork(nullptr, nullptr, [] {
    if (state().context == Context::kBegun) state().context = Context::kLostByFork;
  }) == 0;
  TORCH_CHECK(watching, "minrepro: pthread_atfork failed");
  Context none = Context::kNone;
  state().context.compare_exchange_strong(none, Context::kBegun);
}

bool is_in_forked_child() { return state().context.load(std::memory_order_acquire) == Context::kLostByFork; }

bool is_launch_blocking() {
  static const bool blocking = [] {
    const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return blocking;
}

std::string sticky_error_text(OnCuda kind) { return error_text(sticky_error(kind)); }

void raise_sticky_error() {
  state().surfaced = true;
  const auto poison = poison_of_device();
  const OnCuda kind = poison ? poison->rule->on_cuda : OnCuda::kAsserts;
  raise(sticky_error(kind));
}

void on_launch() {
  State& s = state();
  use_context(s);
  if (!s.poisoned.load(std::memory_order_acquire)) return;
  if (s.surfaced || ++s.launches_since > kLaunchesUntilSurfacing) raise_sticky_error();
}

void on_device_use() {
  State& s = state();
  use_context(s);
  if (s.surfaced.load(std::memory_order_acquire)) raise_sticky_error();
}

void on_synchronize() {
  State& s = state();
  use_context(s);
  if (s.poisoned.load(std::memory_order_acquire)) raise_sticky_error();
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
  s.context = Context::kNone;
  s.poison.reset();
  s.launches_since = 0;
  s.surfaced = false;
  s.poisoned = false;
}

}  // namespace minrepro::sim
