#include "tools/command_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/printable.h"

namespace minrepro {

int complain(std::string_view command, std::string_view message) {
  // It may quote what a file holds: nothing that a terminal obeys, and no more than a line that can be read.
  constexpr std::size_t kLongestLine = 2000;
  std::string line = printable(message, /*keep_newlines=*/true);
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (line.size() > kLongestLine) line = printable(line.substr(0, kLongestLine)) + " …";
  fmt::print(stderr, "minrepro {}: {}\n", command, line);
  return kWrongUsage;
}

std::optional<int> parse_options(cxxopts::Options& options, std::string_view command, std::string_view example, int argc, char** argv,
                                 cxxopts::ParseResult& parsed) {
  options.add_options()("h,help", "Show this text");
  try {
    parsed = options.parse(argc, argv);
  } catch (const cxxopts::exceptions::exception& e) {
    return complain(command, fmt::format("{}; see minrepro {} --help", e.what(), command));
  }
  if (!parsed.unmatched().empty()) return complain(command, fmt::format("unexpected argument '{}'; see minrepro {} --help", parsed.unmatched().front(), command));
  if (parsed.count("help") == 0) return std::nullopt;
  options.set_width(110);
  std::string help = options.help();
  if (const std::size_t usage = help.find("Usage:"); usage != std::string::npos) help.insert(usage, "\n");
  fmt::print("{}\nExample:\n  {}\n", help, example);
  return kDone;
}

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}
}  // namespace

Status check_time(double seconds) {
  if (std::isfinite(seconds) && seconds > 0 && seconds <= 1e9) return {};
  return Error{"--time wants a positive number of seconds"};
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, text.size() / 4) + 1;
  for (const std::string& candidate : candidates)
    if (const std::size_t distance = edit_distance(text, candidate); distance < least) {
      least = distance;
      best = candidate;
    }
  return best;
}

}  // namespace minrepro
