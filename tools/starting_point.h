#pragma once

#include <map>
#include <string>

#include "harness/base/stop.h"
#include "harness/oracle/oracle.h"
#include "harness/program/schema.h"
#include "harness/trace/trace.h"

namespace minrepro {

/// A program that was seen to fail as the recorded run did, several times out of as many.
struct StartingPoint {
  Program program;
  std::map<int, TensorMeta> result_metas;
  Outcome outcome;
  Signature signature;
  std::string inputs;             ///< "captured", "replayed", "synthesised"; "as given" for a program file
  std::string scope;              ///< "the failing call alone", "the kernel's operator alone", "the slice of 12 calls", "all 100 calls", "the program as given"
  int runs = 0;                   ///< of the accepted program, all with this signature
  int64_t elements_before = 0;    ///< of the failing call's inputs as recorded
};

/// Looks for the smallest: the failing call alone with captured inputs, with inputs from replaying its slice, with inputs that violate the rule; the kernel's
/// own operator; the slice; everything up to the failing call. The error says what each of them did instead, or that it was stopped.
Result<StartingPoint> find_starting_point(const Trace& trace, const TraceFailure& failure, const OpCatalog& catalog, Worker& worker,
                                          const std::string& device, const RunLimits& limits, const StopCondition& stop);

/// Proves that a program fails at all.
Result<StartingPoint> starting_point_of_program(const Program& program, Worker& worker, const RunLimits& limits);

}  // namespace minrepro
