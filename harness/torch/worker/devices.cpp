#include "harness/torch/worker/devices.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>

#include "harness/torch/sim/sim_api.h"

namespace minrepro {
namespace {

std::string loader_message() {
  const char* message = dlerror();
  return message == nullptr ? "unknown reason" : message;
}

template <typename Function>
bool find(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  return to != nullptr;
}

/// "cuda:1" → 1; "cuda" → 0.
std::optional<c10::DeviceIndex> index_of(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return 0;
  int index = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, index);
  if (error != std::errc() || stop != end || index < 0 || index > 63) return std::nullopt;
  return static_cast<c10::DeviceIndex>(index);
}

}  // namespace

Status Devices::load(const std::string& device) {
  const std::string base = device.substr(0, device.find(':'));
  if (base == "cpu") return {};
  if (base == "sim") {
    if (reset_ != nullptr) return {};
    if (sim_library_.empty()) return Error{"the program's device is 'sim', but no library of the simulated device was given"};
    void* library = dlopen(sim_library_.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return Error{fmt::format("the simulated device cannot be loaded: {}", loader_message())};
    if (!find(library, "minrepro_sim_violation", violation_) || !find(library, "minrepro_sim_synchronize", synchronize_) ||
        !find(library, "minrepro_sim_reset", reset_))
      return Error{fmt::format("'{}' is no library of the simulated device: {}", sim_library_, loader_message())};
    return {};
  }
  if (base == "cuda") {
    if (cuda_loaded_) return {};
    if (dlopen(MINREPRO_TORCH_LIB "/libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr)
      return Error{fmt::format("this torch cannot use CUDA: {}", loader_message())};
    cuda_loaded_ = true;
    return {};
  }
  return Error{fmt::format("unknown device '{}'; programs run on cpu, sim or cuda", device)};
}

Status Devices::check(const std::string& device) const {
  if (!device.starts_with("cuda")) return {};
  try {
    if (at::detail::getCUDAHooks().getNumGPUs() > 0) return {};
  } catch (const std::exception& error) {
    return Error{fmt::format("CUDA does not start: {}", error.what())};
  }
  return Error{"there is no CUDA device on this machine; use the device sim or cpu"};
}

std::optional<c10::Device> Devices::resolve(const std::string& name, const std::string& program_device) {
  const std::string base = name.substr(0, name.find(':'));
  if (base == "cpu") return c10::Device(c10::kCPU);
  if (base == "meta") return c10::Device(c10::kMeta);
  if (base != "sim" && base != "cuda" && base != "privateuseone") return std::nullopt;
  if (program_device.starts_with("cpu")) return c10::Device(c10::kCPU);
  const auto index = index_of(name.find(':') == std::string::npos ? program_device : name);
  if (!index) return std::nullopt;
  if (program_device.starts_with("sim")) return c10::Device(c10::kPrivateUse1, 0);
  return c10::Device(c10::kCUDA, *index);
}

std::string Devices::name_of(c10::Device device) { return device.type() == c10::kPrivateUse1 ? "sim" : device.str(); }

void Devices::reset_sim() const {
  if (reset_ != nullptr) reset_();
}

std::optional<std::string> Devices::sim_violation() const {
  if (violation_ == nullptr) return std::nullopt;
  char buffer[8192];
  if (!violation_(buffer, sizeof buffer)) return std::nullopt;
  return std::string(buffer);
}

void Devices::synchronize(const std::string& device) const {
  if (device.starts_with("sim") && synchronize_ != nullptr) synchronize_();
  if (device.starts_with("cuda")) {
    const auto index = index_of(device);
    at::detail::getCUDAHooks().deviceSynchronize(index.value_or(0));
  }
}

}  // namespace minrepro
