#pragma once

#include <string>

#include "harness/emit/names.h"
#include "harness/program/program.h"

namespace minrepro::emit {

/// The statements that make a leaf, each on lines of its own. Precondition: the leaf passes `validate`.
std::string leaf_cpp(const Leaf& leaf, const Program& program, const Spellings& spellings);

/// What a program's device name means: "device", "torch::kCPU", "torch::Device(device.type(), 1)".
std::string device_cpp(const std::string& name, const Program& program);

}  // namespace minrepro::emit
