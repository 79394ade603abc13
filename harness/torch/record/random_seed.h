#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/ivalue.h>

namespace minrepro {

/// Initial seed of the generator that a random call draws from: the one among its arguments, else the default one of the device it runs on.
/// nullopt where that device has none.
std::optional<uint64_t> seed_of(c10::ArrayRef<const c10::IValue> arguments);

}  // namespace minrepro
