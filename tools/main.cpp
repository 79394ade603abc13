#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "tools/command_line.h"
#include "tools/parts_config.h"

namespace {
using namespace minrepro;

constexpr std::array kCommands = {
    Command{"record", "run a command and record every operator call", record_command},
    Command{"show", "print a trace or a program", show_command},
    Command{"reduce", "make the smallest program that still fails the same way", reduce_command},
    Command{"verify", "build a reduced program in a clean folder and run it", verify_command},
    Command{"run", "run a program once and say how it ends", run_command},
    Command{"explain", "print what the kernels check, and what comes of a violation", explain_command},
};

void print_help(std::FILE* out) {
  fmt::print(out,
             "minrepro {}: turns a crashing PyTorch or LibTorch run into the smallest standalone program that fails the same way.\n\n"
             "Usage: minrepro COMMAND [ARGUMENT...]\n\n",
             kVersion);
  for (const Command& command : kCommands) fmt::print(out, "  {:<8} {}\n", command.name, command.summary);
  fmt::print(out, "\nminrepro COMMAND --help tells more. Start with:\n  minrepro record --simulate -- python train.py\n");
}

int run(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(stdout);
    return kDone;
  }
  if (name == "--version") {
    fmt::print("minrepro {} (LibTorch {})\n", kVersion, kTorchVersion);
    return kDone;
  }
  if (name.empty()) {
    print_help(stderr);
    return kWrongUsage;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
    names.emplace_back(command.name);
  }
  const std::string meant = nearest(name, names);
  fmt::print(stderr, "minrepro: there is no command '{}'{}\n", name, meant.empty() ? "; see minrepro --help" : fmt::format(". Did you mean '{}'?", meant));
  return kWrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
  int status = kWrongUsage;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("minrepro: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minrepro: %s\n", error.what());
  }
  // What was printed has to be where it was sent, or nobody may rely on the status.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "minrepro: cannot write the output: %s\n", std::strerror(errno));
    return kWrongUsage;
  }
  return status;
}
