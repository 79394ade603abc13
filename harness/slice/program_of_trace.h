#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/program/program.h"
#include "harness/trace/trace.h"

namespace minrepro {

/// Some calls of a trace as a program.
struct TraceProgram {
  Program program;
  std::map<int, TensorMeta> result_metas;   ///< of every result, by id: what a removed call's result has to look like as a leaf
  std::vector<int> unknown;                 ///< leaves whose elements were not captured; they got a placeholder fill
};

/// Builds the program of `calls` (positions in Trace::calls, ascending). A tensor that none of them makes becomes a leaf: with its captured
/// elements where there are any (in that call, or in another mention of the same tensor with no write between), else random floats and zero integers. Two different
/// views of one storage stay aliased if a call of the program writes to that storage, and become leaves of their own if none does.
/// `device` is what "cuda" and "sim" of the trace become. Errors: an argument that a program cannot hold, with the call and its line.
Result<TraceProgram> program_of_calls(const Trace& trace, std::span<const int> calls, const std::string& device);

/// The operator of a violation, alone, with the arguments that its kernel was given. An out variant becomes the functional overload of `ops` that takes the
/// same arguments, where there is one.
Result<TraceProgram> program_of_violation(const Trace& trace, const TraceViolation& violation, const OpCatalog& ops, const std::string& device);

}  // namespace minrepro
