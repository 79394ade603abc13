#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "tools/child_run.h"
#include "tools/parts.h"

namespace minrepro {

/// What to record, as the user said it.
struct RecordRequest {
  std::vector<std::string> words;       ///< the command
  std::string folder;                   ///< absolute path of the trace
  bool simulate = false;
  std::string data = "index";           ///< "none", "index", "all"
};

/// The command with what makes it record itself: Python's start-up hook for whatever Python it runs, and the recorder (and the simulated device)
/// preloaded where that hook does not come in: programs linked with LibTorch, and `python -I` or `-E`.
/// Errors: there is no such command; it uses another LibTorch than these parts were built for.
Result<ChildCommand> recorded_command(const RecordRequest& request, const Parts& parts);

/// "train.trace" for `python train.py`: after the script, else the module, else the program.
std::string default_trace_name(const std::vector<std::string>& words);

}  // namespace minrepro
