#pragma once

#include <string>

#include "harness/base/result.h"

namespace minrepro {

/// The operator catalog as `OpCatalog::parse` reads it: every operator of the dispatcher, with its schema as Python's str() shows it, and whether
/// C++ has it as a function and as a method (from the torch package's native_functions.yaml; without that file neither).
std::string describe_operators();

}  // namespace minrepro
