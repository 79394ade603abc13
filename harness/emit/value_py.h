#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/emit/names.h"
#include "harness/program/program.h"

namespace minrepro::emit {

/// A value for an argument of type `type` ("Tensor?", "int[2]"). Errors: the value does not fit, or programs cannot hold it.
Result<std::string> value_py(const Value& value, std::string_view type, const Program& program, const Spellings& spellings);

/// What a program's device name means: "device", "\"cpu\"", "torch.device(device.type, 1)".
std::string device_py(const std::string& name, const Program& program);

}  // namespace minrepro::emit
