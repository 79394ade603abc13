#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace minrepro {

/// The files of one recorded process.
struct ProcessFiles {
  std::string calls;                      ///< path of calls.PID
  std::string data;                       ///< path of data.PID; it need not exist
};

/// By name. Errors: the folder cannot be read, or a file of the trace is a link or no plain file.
Result<std::vector<ProcessFiles>> process_files(const std::string& folder);

/// Content of a plain file of the trace; nullopt if it does not exist. A link is refused: it could lead out of the folder.
Result<std::optional<std::string>> read_trace_file(const std::string& path);

/// Makes `folder` ready for a new trace: creates it, or empties it of the files of an earlier trace (and of nothing else).
/// Errors: it holds something and is no trace, or cannot be written to.
Status prepare_trace_folder(const std::string& folder);

}  // namespace minrepro
