#pragma once

#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/program/program.h"
#include "harness/program/schema.h"
#include "harness/trace/trace.h"

namespace minrepro {

/// What a user names on the command line: a trace folder, a program file, or a folder with program.json in it. Exactly one member is set.
struct Input {
  std::optional<Trace> trace;
  std::optional<Program> program;
};

/// Errors name the path and say what is near ("Did you mean 'train.trace'?").
Result<Input> read_input(const std::string& path);

/// The operator catalog of the worker beside the binary.
Result<OpCatalog> read_catalog(const std::string& path);

}  // namespace minrepro
