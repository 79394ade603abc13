#pragma once

#include <vector>

#include "harness/asserts/rule.h"

/// The parts of the rule table, one file for each family of operators. A new operator is one new row in one of them.
///
/// File, line and function are those of 2.11.0's kernels (`kernel_asserts.tsv`) where they have an assertion, and of 2.6.0's sources where they have
/// none; how negative, ignored and huge values are treated was read from the sources and from 2.11.0's machine code. Where kernels of two operators
/// print the same text, a log cannot tell them apart: it is given to the rule that comes first.
namespace minrepro::rules {

inline constexpr std::string_view k2_11 = "2.11.0";
inline constexpr std::string_view k2_6 = "2.6.0";

std::vector<AssertRule> indexing();
std::vector<AssertRule> embedding();
std::vector<AssertRule> pooling();
std::vector<AssertRule> losses();
std::vector<AssertRule> sampling();
std::vector<AssertRule> lengths();
std::vector<AssertRule> sparse();
std::vector<AssertRule> linear_algebra();
std::vector<AssertRule> attention();
std::vector<AssertRule> buffers();
std::vector<AssertRule> arithmetic();

}  // namespace minrepro::rules
