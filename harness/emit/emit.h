#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/asserts/rule.h"
#include "harness/base/result.h"
#include "harness/failure/failure.h"
#include "harness/program/program.h"
#include "harness/program/schema.h"

/// A program as files that need LibTorch only. Nothing here touches the disk or runs anything.
namespace minrepro {

/// What is known of the failure that the emitted program shows. Empty members are left out of the text.
struct Expectation {
  Signature signature;
  std::string violation_text;              ///< "index holds 7 (1 of 2 elements); dimension 1 of self has size 3, so 0 … 2 are allowed"
  const AssertRule* rule = nullptr;        ///< the violated rule
  std::string file;                        ///< where the kernel printed its assertion, if one was seen …
  std::string expression;                  ///< … and what; the rule's own text if not
  std::string torch_version;
  std::string headline;                    ///< one sentence for the first comment and the issue's title; default: made of the rest
  std::string exception_type;              ///< "c10::IndexError"
  std::string message;                     ///< the exception's text
  bool simulated = false;                  ///< seen on the simulated device
  int repeats = 0;                         ///< the emitted program was built and run so often …
  int failed = 0;                          ///< … and failed with this signature so often
  std::string output;                      ///< what it printed on stderr
  std::string environment;                 ///< "Debian GNU/Linux 12, g++ 12.2.0": for the issue's list of versions
  std::vector<std::string> libraries;      ///< that define custom operators: loaded before the first call
};

enum class EmitStyle {
  kReadable,                               ///< the public C++ API; calls that have none go through the dispatcher
  kDispatcher,                             ///< every call through the dispatcher, by name
};

/// Whether every call can be written in the public C++ API. If not, the readable style uses the dispatcher for those that cannot.
bool has_public_cpp(const Program& program, const OpCatalog& catalog);

/// repro.cpp. Errors: the program does not pass `validate`-like needs of the emitter (unknown op, opaque value, a result that nothing makes).
Result<std::string> emit_repro_cpp(const Program& program, const OpCatalog& catalog, const Expectation& expectation, EmitStyle style);
/// repro.py.
Result<std::string> emit_repro_py(const Program& program, const OpCatalog& catalog, const Expectation& expectation);
/// CMakeLists.txt beside repro.cpp: `cmake -DTORCH_DIR=…`, no CUDA toolkit needed.
std::string emit_cmake_lists();
/// ISSUE.md, of the two programs above.
std::string emit_issue_markdown(const Program& program, const Expectation& expectation, std::string_view repro_cpp, std::string_view repro_py);

}  // namespace minrepro
