#pragma once

#include <string>
#include <string_view>

#include "harness/emit/emit.h"

/// The words about a failure that all emitted files share.
namespace minrepro::emit {

/// The call that fails, without overload: "aten::scatter_".
std::string failing_op(const Program& program, const Expectation& expectation);
/// One sentence: Expectation::headline, or one made of the operator and the violation.
std::string headline_of(const Program& program, const Expectation& expectation);
/// "ScatterGatherKernel.cu, Assertion `…` failed.", with `separator` for the ", "; empty if the failing kernel's text is not known.
std::string assertion_of(const Expectation& expectation, std::string_view separator);
/// "Expect on CUDA: ScatterGatherKernel.cu, Assertion `…` failed."; empty if nothing is known.
std::string what_to_expect(const Program& program, const Expectation& expectation);
/// What a reader has to know about the evidence: "Seen on a simulated CUDA device, not verified on CUDA."; mostly empty.
std::string caveat_of(const Expectation& expectation);
/// The lines above as a comment, each with `prefix` ("// ", "# ").
std::string opening_comment(const Program& program, const Expectation& expectation, std::string_view prefix);
/// Text up to its first line break.
std::string first_line(std::string_view text);

}  // namespace minrepro::emit
