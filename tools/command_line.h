#pragma once

#include <cxxopts.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/result.h"

/// What every subcommand shares: its name in messages, `--help`, and exit statuses.
namespace minrepro {

inline constexpr int kDone = 0;         ///< the command did its job
inline constexpr int kNotDone = 1;      ///< it did not: no failure, not reproduced, findings
inline constexpr int kWrongUsage = 2;   ///< wrong usage or unreadable input

/// Prints "minrepro COMMAND: MESSAGE" on stderr, one line; returns kWrongUsage.
int complain(std::string_view command, std::string_view message);

/// Parses the arguments (argv[0] is skipped). Adds -h/--help. Gives an exit status when there is nothing left to do: after the help text
/// (followed by `example`), or after one line about what is wrong.
std::optional<int> parse_options(cxxopts::Options& options, std::string_view command, std::string_view example, int argc, char** argv,
                                 cxxopts::ParseResult& parsed);

/// Error for a limit of time that is no positive number of seconds (nor more than 10^9 of them).
Status check_time(double seconds);

/// The name among `candidates` that `text` most likely meant; empty if none is near.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

/// One subcommand.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(int argc, char** argv);    ///< argv[0] is the subcommand's name; returns an exit status
};

int record_command(int argc, char** argv);
int show_command(int argc, char** argv);
int reduce_command(int argc, char** argv);
int verify_command(int argc, char** argv);
int run_command(int argc, char** argv);
int explain_command(int argc, char** argv);

}  // namespace minrepro
