#include "harness/emit/headline.h"

#include <fmt/format.h>

#include <algorithm>

namespace minrepro::emit {

std::string first_line(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string failing_op(const Program& program, const Expectation& expectation) {
  for (auto call = program.calls.rbegin(); call != program.calls.rend(); ++call)
    if (!expectation.signature.op.empty() && rule_name_of(call->op) == expectation.signature.op) return std::string(without_overload(call->op));
  if (!program.calls.empty()) return std::string(without_overload(program.calls.back().op));
  return expectation.signature.op.empty() ? "the program" : expectation.signature.op;
}

std::string headline_of(const Program& program, const Expectation& expectation) {
  if (!expectation.headline.empty()) return first_line(expectation.headline);
  const std::string op = failing_op(program, expectation);
  if (!expectation.violation_text.empty()) return fmt::format("{}: {}", op, first_line(expectation.violation_text));
  const Signature& signature = expectation.signature;
  switch (signature.kind) {
    case FailureKind::kNone: return op;
    case FailureKind::kDeviceAssert: return fmt::format("{}: device-side assert", op);
    case FailureKind::kIllegalAccess: return fmt::format("{}: illegal memory access", op);
    case FailureKind::kException:
      return fmt::format("{}: {}", op, first_line(!expectation.message.empty() ? expectation.message : signature.detail.empty() ? "exception" : signature.detail));
    case FailureKind::kSignal: return fmt::format("{}: {}", op, signature.detail.empty() ? "the process dies of a signal" : signature.detail);
    case FailureKind::kHang: return fmt::format("{} never returns", op);
    case FailureKind::kOutOfMemory: return fmt::format("{}: out of memory", op);
    case FailureKind::kInvalid: return fmt::format("{} cannot be run", op);
  }
  return op;
}

std::string assertion_of(const Expectation& expectation, std::string_view separator) {
  if (!expectation.expression.empty()) return fmt::format("{}{}Assertion `{}` failed.", expectation.file, separator, expectation.expression);
  const AssertRule* rule = expectation.rule;
  if (rule != nullptr && !rule->expression.empty()) return fmt::format("{}{}Assertion `{}` failed.", rule->file, separator, rule->expression);
  const std::string_view detail = expectation.signature.detail;
  const std::size_t colon = detail.find(": ");
  if (colon == std::string_view::npos) return {};
  return fmt::format("{}{}Assertion `{}` failed.", detail.substr(0, colon), separator, detail.substr(colon + 2));
}

std::string what_to_expect(const Program& program, const Expectation& expectation) {
  const std::string op = failing_op(program, expectation);
  const Signature& signature = expectation.signature;
  switch (signature.kind) {
    case FailureKind::kDeviceAssert:
      if (const std::string assertion = assertion_of(expectation, ", "); !assertion.empty()) return "Expect on CUDA: " + assertion;
      return fmt::format("Expect on CUDA: device-side assert triggered in {}.", op);
    case FailureKind::kIllegalAccess: return fmt::format("Expect on CUDA: an illegal memory access in {}.", op);
    case FailureKind::kException: {
      const std::string message = first_line(expectation.message.empty() ? signature.detail : expectation.message);
      const std::string type = expectation.exception_type.empty() ? "an exception" : expectation.exception_type;
      return message.empty() ? fmt::format("Expect: {} from {}", type, op) : fmt::format("Expect: {}: {}", type, message);
    }
    case FailureKind::kSignal: return fmt::format("Expect: {} in {}.", signature.detail.empty() ? "a fatal signal" : signature.detail, op);
    case FailureKind::kHang: return fmt::format("Expect: it never returns from {}.", op);
    case FailureKind::kOutOfMemory: return fmt::format("Expect: out of memory in {}.", op);
    case FailureKind::kNone:
    case FailureKind::kInvalid: break;
  }
  return {};
}

std::string caveat_of(const Expectation& expectation) {
  return expectation.simulated ? "Seen on a simulated CUDA device, not verified on CUDA." : "";
}

std::string opening_comment(const Program& program, const Expectation& expectation, std::string_view prefix) {
  std::string text = fmt::format("{}{}\n", prefix, headline_of(program, expectation));
  for (const std::string& line : {what_to_expect(program, expectation), caveat_of(expectation)})
    if (!line.empty()) text += fmt::format("{}{}\n", prefix, line);
  // A comment that ends in a backslash would go on in the next line of the program.
  for (std::size_t at = 0; (at = text.find("\\\n", at)) != std::string::npos; ++at) text.insert(at + 1, ".");
  return text;
}

}  // namespace minrepro::emit
