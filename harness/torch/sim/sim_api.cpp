#include "harness/torch/sim/sim_api.h"

#include <cstring>

#include <nlohmann/json.hpp>

#include "harness/torch/sim/cuda_keys.h"
#include "harness/torch/sim/device_memory.h"
#include "harness/torch/sim/launch_state.h"

#define MINREPRO_EXPORT __attribute__((visibility("default")))

extern "C" {

MINREPRO_EXPORT void minrepro_sim_reset() { minrepro::sim::reset_device(); }

MINREPRO_EXPORT bool minrepro_sim_violation(char* buffer, std::size_t size) {
  const auto poison = minrepro::sim::poison_of_device();
  if (!poison) return false;
  const nlohmann::json report = {{"op", poison->op}, {"rule", poison->rule->id}, {"file", poison->printed.file}, {"line", poison->printed.line},
                                 {"expression", poison->expression}, {"text", poison->text}};
  const std::string text = report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (size > 0) {
    const std::size_t length = std::min(size - 1, text.size());
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return true;
}

MINREPRO_EXPORT void minrepro_sim_synchronize() { minrepro::sim::on_synchronize(); }

MINREPRO_EXPORT void minrepro_sim_begin_context() { minrepro::sim::begin_context(); }

MINREPRO_EXPORT bool minrepro_sim_is_in_forked_child() { return minrepro::sim::is_in_forked_child(); }

MINREPRO_EXPORT void minrepro_sim_take_cuda() { minrepro::sim::take_cuda_keys(); }

MINREPRO_EXPORT void minrepro_sim_set_memory_fraction(double fraction) { minrepro::sim::set_memory_fraction(fraction); }

MINREPRO_EXPORT double minrepro_sim_memory_fraction() { return minrepro::sim::memory_fraction(); }

}
