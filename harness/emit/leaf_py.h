#pragma once

#include <string>

#include "harness/emit/names.h"
#include "harness/program/program.h"

namespace minrepro::emit {

/// The statements that make a leaf in Python. Precondition: the leaf passes `validate`.
std::string leaf_py(const Leaf& leaf, const Program& program, const Spellings& spellings);

}  // namespace minrepro::emit
