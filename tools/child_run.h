#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace minrepro {

/// A command that the user gave us to run, with our standard input, output and error.
struct ChildCommand {
  std::string program;                             ///< path of the executable
  std::vector<std::string> words;                  ///< argv
  std::map<std::string, std::string> environment;  ///< set on top of ours
  std::optional<double> seconds;                   ///< past that it is ended: SIGTERM, and SIGKILL 2 s later, for its whole process group
};

struct ChildEnd {
  int pid = 0;
  int wait_status = 0;                             ///< as waitpid gives it
  bool timed_out = false;
  double seconds = 0;
};

/// Runs it to its end. It gets a process group of its own and, if we have it, the terminal: Ctrl-C and Ctrl-Z mean it, as they would without us.
/// SIGINT, SIGTERM, SIGHUP and SIGQUIT that we get are passed on. Errors: it cannot be started.
Result<ChildEnd> run_child(const ChildCommand& command);

}  // namespace minrepro
