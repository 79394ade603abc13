#include "harness/asserts/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "harness/base/grouped.h"

namespace minrepro::asserts {
namespace {

std::string elements_text(const Violation& violation) {
  return fmt::format(" ({} of {} elements)", grouped(violation.offending), grouped(violation.total));
}

/// "10 at [3]", "2 … 13 (98,312 of 131,072 elements)"
std::string values_text(const Violation& violation, bool real) {
  const std::string place = violation.index.empty() ? "" : " at " + index_text(violation.index);
  if (violation.offending == 1) return violation.value + place + (real ? elements_text(violation) : "");
  const bool same = violation.lowest_offending == violation.highest_offending;
  if (same) return violation.lowest_offending + (real ? place : "") + elements_text(violation);
  return fmt::format("{} … {}{}", violation.lowest_offending, violation.highest_offending, elements_text(violation));
}

/// "self has 10 classes", "dimension 1 of self has size 2", "num_weights is 5"
std::string measure_text(const AssertRule& rule, const Checked& checked, const Measure& measured) {
  const int64_t bound = measured.size;
  switch (rule.bound) {
    case BoundKind::kProduct:
      if (rule.bound_argument == "self") return fmt::format("the last {} dimensions of self have {} elements", rule.dim, grouped(bound));
      return fmt::format("an output of {} has {} element{}", measured.argument, grouped(bound), bound == 1 ? "" : "s");
    case BoundKind::kListAt: return fmt::format("{}[{}] is {}", measured.argument, measured.dim, bound);
    case BoundKind::kNumel: return fmt::format("{} has {} element{}", measured.argument, grouped(bound), bound == 1 ? "" : "s");
    case BoundKind::kInteger:
      return bound == std::numeric_limits<int64_t>::max() ? fmt::format("{} is not given", measured.argument)
                                                          : fmt::format("{} is {}", measured.argument, bound);
    default: break;
  }
  if (checked.argument == "target") return fmt::format("{} has {} class{}", measured.argument, grouped(bound), bound == 1 ? "" : "es");
  return fmt::format("dimension {} of {} has size {}", measured.dim, measured.argument, bound);
}

std::string allowed_text(const Measure& measured) {
  const Bounds& bounds = measured.bounds;
  const std::string exempt = bounds.ignored ? fmt::format(" (or {} {})", measured.ignored_argument, *bounds.ignored) : "";
  if (bounds.bound == std::numeric_limits<int64_t>::max()) return "numbers >= 0 are allowed" + exempt;
  if (bounds.bound <= bounds.lowest) return "nothing is allowed" + exempt;
  if (bounds.lowest == kAnyNegative) return fmt::format("numbers up to {} are allowed{}", bounds.bound - 1, exempt);
  if (bounds.excluded) return fmt::format("{} … {} without {} are allowed{}", bounds.lowest, bounds.bound - 1, *bounds.excluded, exempt);
  if (bounds.lowest == bounds.bound - 1) return fmt::format("only {} is allowed{}", bounds.lowest, exempt);
  return fmt::format("{} … {} are allowed{}", bounds.lowest, bounds.bound - 1, exempt);
}

std::string_view domain_text(Domain domain) {
  switch (domain) {
    case Domain::kProbability: return "probabilities in [0, 1] are allowed";
    case Domain::kNonNegative:
    case Domain::kNonNegativeOrNan: return "numbers >= 0 are allowed";
    case Domain::kFiniteNonNegative:
    case Domain::kWeights: return "finite weights >= 0 are allowed";
    case Domain::kDivisor: return "integers other than 0 are allowed";
    default: return "";
  }
}

}  // namespace

std::string name_of_checked(const Checked& checked) {
  return checked.list_position < 0 ? std::string(checked.argument) : fmt::format("{}[{}]", checked.argument, checked.list_position);
}

std::string index_text(const std::vector<int64_t>& index) { return fmt::format("[{}]", fmt::join(index, ", ")); }

std::string real_text(DType dtype, double value) {
  if (value != value) return "nan";  // whatever its sign
  if (dtype == DType::kFloat64) return fmt::format("{}", value);
  // fewer digits than a float has tell 16-bit types apart
  if (size_of(dtype) < 4) return fmt::format("{:.5g}", value);
  return fmt::format("{}", static_cast<float>(value));
}

std::string describe(const Violation& violation, const Checked& checked, const Measure* measured) {
  const AssertRule& rule = *violation.rule;
  const std::string name = name_of_checked(checked);
  switch (rule.domain) {
    case Domain::kCount:
      return fmt::format("{} selects {} elements; {} has only {}", name, grouped(violation.offending), measured->argument,
                         grouped(measured->size));
    case Domain::kSum: return fmt::format("{} adds up to {}; {} is {}", name, violation.value, measured->argument, measured->size);
    case Domain::kElements:
      return fmt::format("{} has {} element{}; {} are needed", name, grouped(violation.total), violation.total == 1 ? "" : "s", grouped(measured->size));
    case Domain::kIndex:
      return fmt::format("{} holds {}; {}, so {}", name, values_text(violation, false), measure_text(rule, checked, *measured),
                         allowed_text(*measured));
    default: return fmt::format("{} holds {}; {}", name, values_text(violation, true), domain_text(rule.domain));
  }
}

std::string describe_empty_rows(const Violation& violation, const Checked& checked, int64_t rows, int64_t total) {
  const std::string name = name_of_checked(checked);
  if (total == 1) return fmt::format("{} holds nothing but 0; a weight > 0 is needed", name);
  return fmt::format("{} holds nothing but 0 in the row at {} ({} of {} rows); each row needs a weight > 0", name, index_text(violation.index),
                     grouped(rows), grouped(total));
}

std::string describe_overflowing_rows(const Violation& violation, const Checked& checked, int64_t rows, int64_t total) {
  const std::string name = name_of_checked(checked);
  return fmt::format("{} holds a row at {} ({} of {} rows) whose sum is too large for {}", name, index_text(violation.index), grouped(rows), grouped(total),
                     minrepro::name_of(checked.tensor.dtype));
}

}  // namespace minrepro::asserts
