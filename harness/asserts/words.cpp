#include "harness/asserts/words.h"

#include <fmt/format.h>

#include "harness/asserts/bounds.h"

namespace minrepro {
namespace {

/// "self", "self or weight"
std::string names_of(std::string_view argument) {
  std::string text;
  for (std::string_view name : asserts::alternatives(argument)) text += fmt::format("{}{}", text.empty() ? "" : " or ", name);
  return text;
}

std::string bound_words(const AssertRule& rule) {
  const std::string of = names_of(rule.bound_argument);
  switch (rule.bound) {
    case BoundKind::kNone: return "";
    case BoundKind::kSizeAt: return rule.dim_argument.empty() ? fmt::format("size({}, {})", of, rule.dim) : fmt::format("size({}, {})", of, rule.dim_argument);
    case BoundKind::kNumel: return fmt::format("numel({})", of);
    case BoundKind::kInteger: return of;
    case BoundKind::kIndexedDimension: return fmt::format("size({}, k)", of);
    case BoundKind::kProduct: return fmt::format("product of the last {} of {}", rule.dim, of);
    case BoundKind::kListAt: return fmt::format("{}[{}]", of, rule.dim_argument);
  }
  return "";
}

std::string index_words(const AssertRule& rule) {
  const std::string bound = bound_words(rule);
  std::string lowest = fmt::format("{}", rule.lowest);
  if (rule.wraps_negative) lowest = fmt::format("-{}", bound);
  if (rule.lowest == kAnyNegative) lowest = "any negative";
  std::string text = fmt::format("{} … {}{}", lowest, bound, rule.inclusive ? "" : " - 1");
  if (rule.excludes_zero) text += " without 0";
  if (!rule.ignored_argument.empty()) text += fmt::format(", or {}", names_of(rule.ignored_argument));
  if (rule.cut != Cut::kNone) text += fmt::format(", as {}{}", rule.cut == Cut::kInt32 ? "int32" : "uint32", rule.cut_when.empty() ? "" : " at times");
  return text;
}

std::string domain_words(const AssertRule& rule) {
  const std::string bound = bound_words(rule);
  switch (rule.domain) {
    case Domain::kIndex: return index_words(rule);
    case Domain::kProbability: return "probabilities in [0, 1]";
    case Domain::kNonNegative: return "numbers >= 0";
    case Domain::kNonNegativeOrNan: return "numbers >= 0, or NaN";
    case Domain::kFiniteNonNegative: return "finite numbers >= 0";
    case Domain::kWeights: return "finite weights >= 0, one of each row > 0";
    case Domain::kCount: return fmt::format("selects at most {} elements", bound);
    case Domain::kSum: return fmt::format("adds up to {}", bound);
    case Domain::kSumAtMost: return fmt::format("adds up to {} or less", bound);
    case Domain::kNonDecreasing: return fmt::format("does not decrease{}{}", rule.after_zero ? ", from 0" : "", bound.empty() ? "" : fmt::format(", up to {}", bound));
    case Domain::kAligned: return fmt::format("steps of whole {} bytes, but for the last one", rule.alignment);
    case Domain::kCompressed: return fmt::format("goes from 0 to {} in steps of 0 … dim", bound);
    case Domain::kIncreasingSlices: return "increases inside of each slice";
    case Domain::kCoordinates: return fmt::format("columns name elements of {}", names_of(rule.bound_argument));
    case Domain::kEachCoordinate:
      return fmt::format("row d: {}", rule.wraps_negative ? fmt::format("-size({0}, d) … size({0}, d) - 1", names_of(rule.bound_argument))
                                                            : fmt::format("0 … size({}, d) - 1", names_of(rule.bound_argument)));
    case Domain::kNonZero: return "a number other than 0";
    case Domain::kDivisor: return "integers other than 0";
    case Domain::kElements: return fmt::format("{} elements or more", bound);
  }
  return "";
}

}  // namespace

std::string allowed_words(const AssertRule& rule) { return fmt::format("{}: {}", names_of(rule.argument), domain_words(rule)); }

std::string_view name_of(OnCuda on_cuda) {
  switch (on_cuda) {
    case OnCuda::kAsserts: return "asserts";
    case OnCuda::kIllegalAccess: return "illegal access";
    case OnCuda::kSilent: return "silent";
  }
  return "";
}

std::string cuda_words(const AssertRule& rule) {
  const std::string words = fmt::format("{}, {}:{} {}", name_of(rule.on_cuda), rule.file, rule.line, rule.function);
  if (rule.on_cuda != OnCuda::kAsserts) return words;
  return rule.message_argument.empty() ? fmt::format("{} `{}`", words, rule.expression) : fmt::format("{}, prints {}", words, rule.message_argument);
}

}  // namespace minrepro
