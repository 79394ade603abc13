#include "harness/failure/transcript.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace minrepro {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::string_view without_folders(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// "FILE.EXT:LINE: REST". What stands before FILE (a rank, a time stamp) is cut off with its folders; a time such as 12:00:01 is no line number
/// because no file extension precedes it.
struct Position {
  std::string_view file;
  int line = 0;
  std::string_view rest;
};
std::optional<Position> find_position(std::string_view text) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == colon + 1 || (end < text.size() && text[end] != ':')) continue;
    std::string_view file = text.substr(0, colon);
    // The name ends with an extension; folders may hold blanks ("C:\Program Files\…"), a file's name does not.
    std::string_view name = without_folders(file);
    const std::size_t blank = name.find_last_of(" \t");
    if (blank != std::string_view::npos) name.remove_prefix(blank + 1);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) continue;
    if (std::isalpha(static_cast<unsigned char>(name[dot + 1])) == 0) continue;
    Position position;
    position.file = name;
    std::from_chars(text.data() + colon + 1, text.data() + end, position.line);
    position.rest = end < text.size() ? text.substr(end + 1) : std::string_view();
    return position;
  }
  return std::nullopt;
}

/// One line of a transcript, read as an assert line.
std::optional<AssertLine> read_assert_line(std::string_view text) {
  // CUDA: "Assertion `E` failed."   with a message of its own: "Assertion failed: `E`: MESSAGE"   HIP: "Device-side assertion `E' failed."
  static constexpr std::string_view kWithMessage = "Assertion failed: `";
  static constexpr std::array<std::string_view, 4> kOpenings = {kWithMessage, "Assertion `", "Device-side assertion `", "Assertion '"};
  std::size_t opening = std::string_view::npos;
  std::string_view marker;
  for (std::string_view candidate : kOpenings) {
    opening = text.find(candidate);
    marker = candidate;
    if (opening != std::string_view::npos) break;
  }
  if (opening == std::string_view::npos) return std::nullopt;
  const std::string_view after = text.substr(opening + marker.size());
  std::size_t closing = marker == kWithMessage ? after.find("`: ") : after.rfind("` failed");
  if (closing == std::string_view::npos) closing = after.rfind("' failed");
  if (closing == std::string_view::npos) return std::nullopt;

  const std::string_view before = text.substr(0, opening);
  const bool device = before.find("thread: [") != std::string_view::npos || marker.starts_with("Device-side");
  if (!device) return std::nullopt;  // the C library's assert() words it likewise, without block and thread
  const std::optional<Position> position = find_position(before);
  if (!position) return std::nullopt;

  AssertLine line;
  line.file = position->file;
  line.line = position->line;
  line.expression = after.substr(0, closing);
  std::string_view function = position->rest;
  const std::size_t block = function.rfind("block: [");
  if (block != std::string_view::npos) function = function.substr(0, block);
  function = trimmed(function);
  while (!function.empty() && function.back() == ':') function = trimmed(function.substr(0, function.size() - 1));
  if (function != "(null)") line.function = function;
  return line;
}

/// "minrepro-sim: (simulated) in OP: RULE: TEXT".
std::optional<SimulatedViolation> read_simulated_violation(std::string_view text) {
  static constexpr std::string_view kStart = "minrepro-sim: (simulated) in ";
  const std::size_t start = text.find(kStart);
  if (start == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(start + kStart.size());
  auto next = [&rest] {  // up to ": "; an operator's own "::" has no blank after it
    const std::size_t end = std::min(rest.find(": "), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    return std::string(trimmed(part));
  };
  SimulatedViolation violation;
  violation.op = next();
  violation.rule = next();
  violation.text = trimmed(rest);
  return violation;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<AssertLine> find_assert_line(std::string_view text) {
  while (!text.empty())
    if (auto found = read_assert_line(next_line(text))) return found;
  return std::nullopt;
}

std::optional<SimulatedViolation> find_simulated_violation(std::string_view text) {
  while (!text.empty())
    if (auto found = read_simulated_violation(next_line(text))) return found;
  return std::nullopt;
}

FailureKind kind_of_error_text(std::string_view text) {
  auto says = [text](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if (says("device-side assert triggered") || says("device kernel image assert") || says("cudaErrorAssert")) return FailureKind::kDeviceAssert;
  for (std::string_view words : {"an illegal memory access was encountered", "misaligned address", "unspecified launch failure",
                                 "an illegal instruction was encountered", "invalid program counter", "invalid address space",
                                 "hardware stack error", "cudaErrorIllegalAddress"})
    if (says(words)) return FailureKind::kIllegalAccess;
  for (std::string_view words : {"CUDA out of memory", "HIP out of memory", "CUDA error: out of memory", "can't allocate memory", "DefaultCPUAllocator: not enough memory",
                                 "std::bad_alloc", "Cannot allocate memory"})
    if (says(words)) return FailureKind::kOutOfMemory;
  return FailureKind::kNone;
}

}  // namespace minrepro
