#include "harness/failure/failure.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

namespace minrepro {
namespace {

constexpr std::array<std::pair<FailureKind, std::string_view>, 8> kNames = {{
    {FailureKind::kNone, "none"},
    {FailureKind::kDeviceAssert, "device assert"},
    {FailureKind::kIllegalAccess, "illegal access"},
    {FailureKind::kException, "exception"},
    {FailureKind::kSignal, "signal"},
    {FailureKind::kHang, "hang"},
    {FailureKind::kOutOfMemory, "out of memory"},
    {FailureKind::kInvalid, "invalid"},
}};

/// What kernel's operator an assertion belongs to, when only the program's call is known (CUDA prints no operator): the call itself if the
/// rule covers it, else (a composite such as cross_entropy_loss) the rule's first operator.
std::string op_of_assert(const Outcome& outcome, const AssertRule* rule) {
  const std::string op = outcome.op.empty() ? "" : rule_name_of(outcome.op);
  if (rule == nullptr || rule->ops.empty()) return op;
  for (std::string_view covered : rule->ops)
    if (covered == op) return op;
  return std::string(rule->ops.front());
}

const AssertRule* rule_of(const Outcome& outcome) {
  if (!outcome.rule.empty()) return find_rule(outcome.rule);
  return outcome.expression.empty() ? nullptr : find_rule_by_text(outcome.file, outcome.expression);
}

/// Reads members of one JSON object and remembers the first one of the wrong type.
class Members {
 public:
  Members(const nlohmann::json& json, std::string_view what) : json_(json), what_(what) {
    if (!json.is_object()) error_ = fmt::format("{}: not a JSON object", what);
  }

  void read(const char* name, std::string& to) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    if (value->is_string()) to = value->get<std::string>();
    else wrong(name, "a string");
  }
  void read(const char* name, int& to) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    if (value->is_number_integer()) to = value->get<int>();
    else wrong(name, "an integer");
  }
  void read(const char* name, double& to) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return;
    if (value->is_number()) to = value->get<double>();
    else wrong(name, "a number");
  }
  void read(const char* name, FailureKind& to) {
    std::string text;
    read(name, text);
    if (!error_.empty()) return;
    if (auto kind = failure_kind_of_name(text)) to = *kind;
    else error_ = fmt::format("{}: '{}' is no kind of failure", what_, text);
  }
  const std::string& error() const { return error_; }

 private:
  const nlohmann::json* find(const char* name) const {
    if (!error_.empty()) return nullptr;
    auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  void wrong(const char* name, std::string_view expected) { error_ = fmt::format("{}: '{}' is not {}", what_, name, expected); }

  const nlohmann::json& json_;
  std::string_view what_;
  std::string error_;
};

}  // namespace

std::string_view name_of(FailureKind kind) {
  for (const auto& [value, name] : kNames)
    if (value == kind) return name;
  return "invalid";
}

std::optional<FailureKind> failure_kind_of_name(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

FailureKind failure_kind_of(const AssertRule& rule) {
  switch (rule.on_cuda) {
    case OnCuda::kAsserts: return FailureKind::kDeviceAssert;
    case OnCuda::kIllegalAccess: return FailureKind::kIllegalAccess;
    case OnCuda::kSilent: return FailureKind::kNone;
  }
  return FailureKind::kNone;
}

Signature signature_of(const Outcome& outcome) {
  Signature signature;
  signature.kind = outcome.kind;
  switch (outcome.kind) {
    case FailureKind::kNone:
      return signature;
    case FailureKind::kDeviceAssert:
    case FailureKind::kIllegalAccess: {
      const AssertRule* rule = rule_of(outcome);
      signature.op = op_of_assert(outcome, rule);
      if (rule != nullptr) signature.detail = rule->id;
      else if (!outcome.rule.empty()) signature.detail = outcome.rule;
      else if (!outcome.expression.empty()) signature.detail = outcome.file + ": " + outcome.expression;
      return signature;
    }
    case FailureKind::kException:
    case FailureKind::kInvalid:
      signature.detail = normalise_message(outcome.message);
      break;
    case FailureKind::kSignal:
      signature.detail = outcome.message;
      break;
    case FailureKind::kHang:
    case FailureKind::kOutOfMemory:
      break;  // the operator is all that stays the same
  }
  if (!outcome.op.empty()) signature.op = rule_name_of(outcome.op);
  return signature;
}

bool is_about_nan(const Outcome& outcome) {
  static constexpr std::string_view kNan = "nan";
  if (outcome.kind != FailureKind::kDeviceAssert) return false;
  const auto is_letter = [&](std::size_t at) { return at < outcome.message.size() && (std::isalpha(static_cast<unsigned char>(outcome.message[at])) || outcome.message[at] == '_'); };
  for (std::size_t at = outcome.message.find(kNan); at != std::string::npos; at = outcome.message.find(kNan, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + kNan.size())) return true;
  return false;
}

std::string to_text(const Signature& signature) {
  std::string text(name_of(signature.kind));
  if (!signature.op.empty()) text += " in " + signature.op;
  if (signature.detail.empty()) return text;
  if (const AssertRule* rule = find_rule(signature.detail); rule != nullptr && rule->expression.empty())
    return text + fmt::format(" ({}: {})", rule->file, rule->function);
  if (signature.kind == FailureKind::kDeviceAssert) {
    if (const AssertRule* rule = find_rule(signature.detail)) return text + fmt::format(" ({}: `{}`)", rule->file, rule->expression);
    const auto colon = signature.detail.find(": ");
    if (colon != std::string::npos)
      return text + fmt::format(" ({}: `{}`)", signature.detail.substr(0, colon), signature.detail.substr(colon + 2));
  }
  return text + fmt::format(" ({})", signature.detail);
}

nlohmann::json to_json(const Outcome& outcome) {
  return {{"kind", name_of(outcome.kind)},
          {"call", outcome.call},
          {"symptom_call", outcome.symptom_call},
          {"op", outcome.op},
          {"rule", outcome.rule},
          {"file", outcome.file},
          {"expression", outcome.expression},
          {"message", outcome.message},
          {"exception_type", outcome.exception_type},
          {"seconds", outcome.seconds}};
}

Result<Outcome> outcome_from_json(const nlohmann::json& json) {
  Outcome outcome;
  Members members(json, "outcome");
  members.read("kind", outcome.kind);
  members.read("call", outcome.call);
  members.read("symptom_call", outcome.symptom_call);
  members.read("op", outcome.op);
  members.read("rule", outcome.rule);
  members.read("file", outcome.file);
  members.read("expression", outcome.expression);
  members.read("message", outcome.message);
  members.read("exception_type", outcome.exception_type);
  members.read("seconds", outcome.seconds);
  if (!members.error().empty()) return Error{members.error()};
  return outcome;
}

nlohmann::json to_json(const Signature& signature) {
  return {{"kind", name_of(signature.kind)}, {"op", signature.op}, {"detail", signature.detail}, {"text", to_text(signature)}};
}

Result<Signature> signature_from_json(const nlohmann::json& json) {
  Signature signature;
  Members members(json, "signature");
  members.read("kind", signature.kind);
  members.read("op", signature.op);
  members.read("detail", signature.detail);
  if (!members.error().empty()) return Error{members.error()};
  return signature;
}

}  // namespace minrepro
