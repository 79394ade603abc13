#include <fmt/format.h>

#include "harness/emit/emit.h"
#include "harness/emit/headline.h"
#include "harness/emit/pasted_output.h"

namespace minrepro {
namespace {

using namespace emit;

/// A block that no line of `content` can end early.
std::string fenced(std::string_view language, std::string_view content) {
  std::string fence = "```";
  while (content.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{}{}\n{}{}{}\n", fence, language, content, content.ends_with('\n') ? "" : "\n", fence);
}

std::string what_happens(const Program& program, const Expectation& expectation) {
  const std::string op = failing_op(program, expectation);
  switch (expectation.signature.kind) {
    case FailureKind::kDeviceAssert: return fmt::format("`{}` triggers a device-side assert. CUDA reports it at a later call or synchronisation.", op);
    case FailureKind::kIllegalAccess: return fmt::format("`{}` makes an illegal memory access on the device.", op);
    case FailureKind::kException: return fmt::format("`{}` throws `{}`.", op, expectation.exception_type.empty() ? "an exception" : expectation.exception_type);
    case FailureKind::kSignal: return fmt::format("The process dies in `{}`: {}.", op, expectation.signature.detail);
    case FailureKind::kHang: return fmt::format("`{}` does not return.", op);
    case FailureKind::kOutOfMemory: return fmt::format("`{}` runs out of memory.", op);
    case FailureKind::kNone:
    case FailureKind::kInvalid: break;
  }
  return fmt::format("`{}` does not do what it should.", op);
}

/// The text that the failure prints, where it prints one.
std::string what_is_printed(const Expectation& expectation) {
  const Signature& signature = expectation.signature;
  switch (signature.kind) {
    case FailureKind::kDeviceAssert: {
      const std::string line = assertion_of(expectation, ": ");
      return line.empty() ? "" : fmt::format("\nCUDA{} prints:\n\n{}", expectation.simulated ? ", here simulated," : "", fenced("", line));
    }
    case FailureKind::kException: {
      const std::string message = pasted_output(expectation.message.empty() ? signature.detail : expectation.message);
      return message.empty() ? "" : "\nThe message:\n\n" + fenced("", message);
    }
    default: return "";
  }
}

std::string what_was_expected(const Expectation& expectation) {
  switch (expectation.signature.kind) {
    case FailureKind::kDeviceAssert:
    case FailureKind::kIllegalAccess:
      return "An exception that names the operator and the offending value, as the CPU gives one, without a poisoned CUDA context; or a result.";
    case FailureKind::kSignal: return "An exception that names the operator and the offending argument, or a result; not the end of the process.";
    case FailureKind::kHang: return "A result, or an exception, in finite time.";
    default: return "A result, or a message that names the argument to change.";
  }
}

std::string how_verified(const Expectation& expectation) {
  std::string text;
  if (expectation.repeats > 0) {
    text = fmt::format("The C++ program was built in a clean folder and run {} {}; {} of {} failed in this way{}.", expectation.repeats,
                       expectation.repeats == 1 ? "time" : "times", expectation.failed, expectation.repeats,
                       expectation.simulated ? " on a simulated CUDA device" : "");
  } else {
    text = "The C++ program has not been built and run yet.";
  }
  if (expectation.simulated) text += " It is **not verified on CUDA**: the simulated device runs CPU kernels and fails where CUDA's kernels assert.";
  return text;
}

}  // namespace

std::string emit_issue_markdown(const Program& program, const Expectation& expectation, std::string_view repro_cpp, std::string_view repro_py) {
  std::string text = fmt::format("# {}\n\n", headline_of(program, expectation));
  text += "## What happens\n\n" + what_happens(program, expectation) + "\n";
  if (!expectation.violation_text.empty()) text += fmt::format("\n{}\n", expectation.violation_text);
  text += what_is_printed(expectation);
  if (expectation.rule != nullptr && !expectation.rule->cause.empty()) text += fmt::format("\nUsual cause: {}\n", expectation.rule->cause);
  text += "\n## What was expected\n\n" + what_was_expected(expectation) + "\n";
  if (!repro_cpp.empty()) text += "\n## To reproduce, in C++\n\n" + fenced("cpp", repro_cpp);
  if (!repro_py.empty()) text += "\n## To reproduce, in Python\n\n" + fenced("python", repro_py);
  if (const std::string output = pasted_output(expectation.output); !output.empty()) text += "\n## Output\n\n" + fenced("", output);
  text += "\n## Versions\n\n";
  const std::string& version = expectation.torch_version.empty() ? program.torch_version : expectation.torch_version;
  text += fmt::format("- PyTorch {}\n", version.empty() ? "version unknown" : version);
  if (!expectation.environment.empty()) text += fmt::format("- {}\n", expectation.environment);
  for (const std::string& library : expectation.libraries) text += fmt::format("- custom operators: `{}`\n", pasted_output(library));
  text += "\n## How it was verified\n\n" + how_verified(expectation) + "\n";
  return text;
}

}  // namespace minrepro
