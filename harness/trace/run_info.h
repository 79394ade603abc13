#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace minrepro {

/// What `minrepro record` knows about a run: run.json in the trace folder, written when the command has ended.
struct RunInfo {
  std::vector<std::string> command;
  int64_t pid = 0;
  int wait_status = 0;                    ///< as waitpid gave it
  bool timed_out = false;
  bool simulated = false;
  double seconds = 0;
  std::string minrepro_version;
};

/// Writes FOLDER/run.json beside and renames it. Errors: "cannot write …".
Status write_run_info(const std::string& folder, const RunInfo& info);

/// nullopt if there is none (the command still runs, or `minrepro record` was killed). Errors: "FOLDER/run.json: …".
Result<std::optional<RunInfo>> read_run_info(const std::string& folder);

}  // namespace minrepro
