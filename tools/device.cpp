#include "tools/device.h"

#include <fmt/core.h>
#include <unistd.h>

namespace minrepro {

bool has_gpu() { return access("/dev/nvidiactl", R_OK) == 0; }

Status check_device(std::string_view name) {
  if (name == "sim" || name == "cpu" || name == "cuda") return {};
  return Error{fmt::format("there is no device '{}'; sim, cpu and cuda are known", name)};
}

}  // namespace minrepro
