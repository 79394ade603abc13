#pragma once

#include <optional>

#include "harness/asserts/rule.h"
#include "reducers/edit.h"

namespace minrepro {

/// Writes elements into the checked leaf of the last call so that `rule` is violated: good values, and one bad one in front. For data that was not captured.
/// nullopt if the rule checks no leaf of that call, or the leaf is empty.
std::optional<Program> with_violation(const Program& program, const AssertRule& rule, const PassContext& context);

}  // namespace minrepro
