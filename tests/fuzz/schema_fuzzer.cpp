#include <cstdint>
#include <string_view>

#include "harness/program/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static_cast<void>(minrepro::parse_schema({reinterpret_cast<const char*>(data), size}));
  return 0;
}
