#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emit/emit.h"
#include "harness/failure/failure.h"
#include "harness/program/program.h"
#include "harness/program/schema.h"
#include "tools/signature_question.h"

namespace minrepro {

/// What `minrepro reduce` found out, as reduction.json tells it.
struct ReductionReport {
  std::string source;                      ///< the trace or program that was reduced
  std::string device;
  std::string inputs;                      ///< "captured", "replayed", "synthesised", "as given"
  std::string scope;                       ///< "the failing call alone"
  int64_t calls_before = 0, calls_after = 0;
  int64_t elements_before = 0, elements_after = 0;
  int64_t oracle_calls = 0;
  double seconds = 0;                      ///< without the verification
  bool minimal = false;                    ///< no single edit of any pass is left that keeps the failure
  std::string end;                         ///< "minimal", "out of time", "interrupted", or why it broke off
  Signature signature;
  std::string violation;                   ///< what the reduced program does wrong, for people
  std::string torch;
  std::map<std::string, int64_t> passes;   ///< edits kept, by pass
  // The verification: built from a clean folder, run in fresh processes.
  bool verified = false;
  std::string verified_on;                 ///< "sim", "cpu", "cuda"; empty if it was not
  int runs = 0, failed_same = 0;
  std::string not_verified;                ///< why not; empty if it was
  std::string style;                       ///< "readable", "dispatcher"
  double verify_seconds = 0;
};

nlohmann::json to_json(const ReductionReport& report);

/// What `verify` has to know of a folder that `reduce` wrote.
struct VerifyExpectation {
  Signature signature;
  std::string device;
};
/// Reads DIR/reduction.json. Errors name the file.
Result<VerifyExpectation> read_reduction(const std::string& folder);

/// Makes the folder, or finds it empty or written by `reduce` before: nothing else is overwritten. Errors: one line each.
Status prepare_repro_folder(const std::string& folder);

/// Writes program.json, repro.cpp, CMakeLists.txt, repro.py and ISSUE.md, in this order. Each file is written beside and renamed.
Status write_program(const std::string& folder, const Program& program, const OpCatalog& catalog, const Expectation& expectation, EmitStyle style);
Status write_report(const std::string& folder, const ReductionReport& report);
/// Programs that failed in another way, as other/KIND-OP.json with a repro.cpp each; a folder left by an earlier run is emptied of such files first.
Status write_by_findings(const std::string& folder, const std::map<std::string, ByFinding>& findings, const OpCatalog& catalog);

}  // namespace minrepro
