#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <torch/version.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/oracle/frame.h"
#include "harness/torch/worker/describe.h"
#include "harness/torch/worker/devices.h"
#include "harness/torch/worker/execute.h"
#include "harness/torch/worker/serve.h"

/// minrepro-worker --describe [--load LIB]… [--output FILE]    prints the operator catalog
/// minrepro-worker --serve [IN OUT] [--sim LIB] [--load LIB]…  answers the oracle on two descriptors (standard input and output)
namespace minrepro {
namespace {

struct Options {
  bool describe = false;
  bool serve = false;
  int in = 0;
  int out = 1;
  std::string sim;
  std::string output;
  std::vector<std::string> load;
};

Result<Options> options_of(const std::vector<std::string>& words) {
  Options options;
  auto number = [&](std::size_t i, int& to) {
    if (i >= words.size()) return false;
    const char* end = words[i].data() + words[i].size();
    return std::from_chars(words[i].data(), end, to).ptr == end && to >= 0;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool takes_value = word == "--sim" || word == "--load" || word == "--output";
    if (takes_value && i + 1 == words.size()) return Error{fmt::format("{} needs a value", word)};
    if (word == "--describe") options.describe = true;
    else if (word == "--sim") options.sim = words[++i];
    else if (word == "--load") options.load.push_back(words[++i]);
    else if (word == "--output") options.output = words[++i];
    else if (word == "--serve") {
      options.serve = true;
      if (number(i + 1, options.in)) {
        if (!number(i + 2, options.out)) return Error{"--serve needs two descriptors or none"};
        i += 2;
      }
    } else return Error{fmt::format("unknown option '{}'", word)};
  }
  if (options.describe == options.serve) return Error{"say either --describe or --serve"};
  return options;
}

Status load_libraries(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries)
    if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      const char* reason = dlerror();
      return Error{fmt::format("cannot load '{}': {}", library, reason == nullptr ? "unknown reason" : reason)};
    }
  return {};
}

/// Keeps the oracle's pipes away from descriptors 0 and 1, which an operator may print to.
void set_pipes_aside(Options& options) {
  options.in = fcntl(options.in, F_DUPFD_CLOEXEC, 10);
  options.out = fcntl(options.out, F_DUPFD_CLOEXEC, 10);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(nothing, 1);
}

Status work(Options options, int& status) {
  if (Status loaded = load_libraries(options.load); !loaded) return loaded;
  if (options.describe) {
    const std::string catalog = describe_operators() + "\n";
    if (!options.output.empty()) return write_file(options.output, catalog);
    if (std::fwrite(catalog.data(), 1, catalog.size(), stdout) != catalog.size() || std::fflush(stdout) != 0)
      return Error{"cannot write the catalog to standard output"};
    return {};
  }
  set_pipes_aside(options);
  warm_up();
  Devices devices(options.sim);
  if (Status ready = write_frame(options.out, nlohmann::json({{"ready", true}, {"torch", TORCH_VERSION}}).dump()); !ready) return ready;
  status = serve(options.in, options.out, devices);
  return {};
}

}  // namespace
}  // namespace minrepro

int main(int argc, char** argv) {
  auto options = minrepro::options_of(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) {
    fmt::print(stderr, "minrepro-worker: {}\n", options.error().message);
    return 2;
  }
  int status = 0;
  if (minrepro::Status done = minrepro::work(*options, status); !done) {
    fmt::print(stderr, "minrepro-worker: {}\n", done.error().message);
    return 1;
  }
  std::fflush(nullptr);
  _exit(status);  // LibTorch's destructors may meet libraries that were never meant to be unloaded
}
