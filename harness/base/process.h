#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/stop.h"

namespace minrepro {

struct ProcessRequest {
  std::vector<std::string> words;                        ///< argv; the first is looked up in PATH if it has no '/'
  std::map<std::string, std::string> environment{};      ///< set on top of ours
  std::string folder{};                                  ///< working folder; empty: ours
  double seconds = 600;                                  ///< past that its whole process group is killed
  std::size_t most_output = std::size_t{1} << 20;        ///< bytes kept of each stream: the first half and the last
  const StopCondition* stop = nullptr;                   ///< an interrupt kills the group too
};

struct ProcessEnd {
  int wait_status = 0;                                   ///< as waitpid gives it
  bool timed_out = false;
  bool interrupted = false;
  double seconds = 0;
  std::string output;
  std::string error;
};

/// Runs a program to its end, without a shell, with nothing to read, in a process group of its own. Whatever it started and left behind is killed with it.
/// Errors: "cannot run 'PROGRAM': REASON".
Result<ProcessEnd> run_process(const ProcessRequest& request);

/// What a program prints on its standard output; empty if it cannot be run or is not done within `seconds`.
std::string output_of(std::vector<std::string> words, double seconds);

/// The file that is run for a command's first word: `name` itself if it has a '/', else the first one in PATH.
/// Errors: "there is no command 'NAME'", or that it cannot be executed.
Result<std::string> find_program(const std::string& name);

}  // namespace minrepro
