#pragma once

#include <string>

#include "harness/asserts/rule.h"

/// A rule in words, for lists of rules.
namespace minrepro {

/// "index: 0 … size(self, dim) - 1", "self: probabilities in [0, 1]"
std::string allowed_words(const AssertRule& rule);
/// "asserts", "illegal access", "silent"
std::string_view name_of(OnCuda on_cuda);
/// "asserts, ScatterGatherKernel.cu:163 `…`", "illegal access, Embedding.cu:126 renorm_kernel", "silent, …"
std::string cuda_words(const AssertRule& rule);

/// What 2.11.0's CPU kernel does with corpus/rules/ID.json, which violates the rule: the exception's text, "crash", "silent", "no kernel".
/// A test runs every one of those programs. Empty for an unknown rule.
std::string_view cpu_outcome(std::string_view rule_id);

}  // namespace minrepro
