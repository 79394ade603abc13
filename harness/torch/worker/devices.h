#pragma once

#include <c10/core/Device.h>

#include <optional>
#include <string>

#include "harness/base/result.h"

namespace minrepro {

/// The devices that programs name, and the simulated device's library.
class Devices {
 public:
  explicit Devices(std::string sim_library) : sim_library_(std::move(sim_library)) {}

  /// Loads what programs on `device` need ("cpu", "sim", "cuda"), once. To be called before forking: it opens libraries but starts no CUDA
  /// context, which a forked child could not use. Errors: unknown device, the library is missing.
  Status load(const std::string& device);
  /// Whether the device is there. Starts CUDA: to be called in the process that runs the program. Errors: "no CUDA device …".
  Status check(const std::string& device) const;

  /// What `name` means in a program on `program_device`: any accelerator is the program's own device, "cpu" and "meta" are themselves.
  static std::optional<c10::Device> resolve(const std::string& name, const std::string& program_device);
  static std::string name_of(c10::Device device);

  /// The simulated device, if it is loaded; nothing happens otherwise.
  void reset_sim() const;
  std::optional<std::string> sim_violation() const;   ///< JSON, as harness/torch/sim/sim_api.h says
  /// Waits for the device; throws what it reports.
  void synchronize(const std::string& device) const;

 private:
  std::string sim_library_;
  void (*reset_)() = nullptr;
  bool (*violation_)(char*, std::size_t) = nullptr;
  void (*synchronize_)() = nullptr;
  bool cuda_loaded_ = false;
};

}  // namespace minrepro
