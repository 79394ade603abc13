// What LibTorch asks of a device: which one is current, its streams and events. There is one device and its work is done when a call returns,
// so streams only have identities, and events only times.
#include <atomic>
#include <chrono>

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include "harness/torch/sim/cuda_keys.h"
#include "harness/torch/sim/device_type.h"
#include "harness/torch/sim/launch_state.h"

namespace minrepro::sim {
namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  Clock::time_point recorded_at;
};

thread_local c10::StreamId current_stream = 0;

/// For one name of the device: its own, or cuda's (see take_cuda_keys).
template <c10::DeviceType kType>
struct DeviceGuard final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = kType;
  DeviceGuard() = default;
  explicit DeviceGuard(c10::DeviceType) {}

  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override {
    check_index(device.index());
    return getDevice();
  }
  c10::Device getDevice() const override { return {kType, 0}; }
  void setDevice(c10::Device device) const override { check_index(device.index()); }
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }

  c10::Stream getStream(c10::Device) const override { return stream_with(current_stream); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream_with(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream getNewStream(c10::Device, int) const override {
    static std::atomic<c10::StreamId> last = 0;
    return stream_with(++last);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const c10::StreamId before = current_stream;
    current_stream = stream.id();
    return stream_with(before);
  }
  bool queryStream(const c10::Stream&) const override {
    on_synchronize();
    return true;
  }
  void synchronizeStream(const c10::Stream&) const override { on_synchronize(); }
  void synchronizeDevice(const c10::DeviceIndex) const override { on_synchronize(); }

  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {
    on_device_use();
    if (*event == nullptr) *event = new Event;
    static_cast<Event*>(*event)->recorded_at = Clock::now();
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  void block(void*, const c10::Stream&) const override { on_device_use(); }
  bool queryEvent(void*) const override {
    on_synchronize();
    return true;
  }
  void synchronizeEvent(void*) const override { on_synchronize(); }
  double elapsedTime(void* from, void* to, const c10::DeviceIndex) const override {
    TORCH_CHECK(from != nullptr && to != nullptr, "Both events must be recorded before calculating elapsed time.");
    return std::chrono::duration<double, std::milli>(static_cast<Event*>(to)->recorded_at - static_cast<Event*>(from)->recorded_at).count();
  }

 private:
  static c10::Stream stream_with(c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, {kType, 0}, id); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, DeviceGuard<kSim>);

}  // namespace

void check_index(c10::DeviceIndex index) {
  if (index <= 0) return;
  constexpr int kInvalidDevice = 101;
  throw c10::AcceleratorError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, kInvalidDevice,
                              "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs? "
                              "(minrepro: the simulated device has index 0 only)");
}

void register_guard_for_cuda() {
  static const DeviceGuard<c10::DeviceType::CUDA> guard;
  c10::impl::DeviceGuardImplRegistrar(c10::DeviceType::CUDA, &guard);
}

}  // namespace minrepro::sim
