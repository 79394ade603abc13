#pragma once

#include <vector>

#include "harness/asserts/evaluate.h"

/// What rules ask of a call's other arguments. Parts of evaluate.h.
namespace minrepro::asserts {

bool holds(const Condition& condition, const CallView& call);
bool all_hold(const std::vector<Condition>& conditions, const CallView& call);
/// Whether the call has one of the alternatives: a tensor, a number, or a list that is not empty.
bool is_given(std::string_view argument, const CallView& call);

}  // namespace minrepro::asserts
