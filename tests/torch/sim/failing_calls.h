#pragma once

#include <string>

#include <ATen/Functions.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "harness/torch/sim/sim_api.h"

namespace minrepro::sim {

inline at::Device sim() { return at::Device("sim:0"); }

/// Starts and leaves each test with a healthy device.
class SimTest : public ::testing::Test {
 protected:
  void SetUp() override { minrepro_sim_reset(); }
  void TearDown() override { minrepro_sim_reset(); }
};

/// A lookup of row 7 in a table of 4.
inline at::Tensor bad_lookup() {
  return at::index_select(at::ones({4, 3}, sim()), 0, at::tensor({1, 7}, at::kLong).to(sim(), /*non_blocking=*/true));
}

/// What `call` throws as an AcceleratorError; empty if it throws nothing. Other exceptions pass through.
template <typename Call>
std::string sticky_error_of(const Call& call, int code = 710) {
  try {
    call();
  } catch (const c10::AcceleratorError& error) {
    EXPECT_EQ(error.get_error_code(), code);
    return error.what_without_backtrace();
  }
  return {};
}

inline std::string violation() {
  char text[4096];
  return minrepro_sim_violation(text, sizeof text) ? text : "";
}

}  // namespace minrepro::sim
