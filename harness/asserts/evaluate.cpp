#include "harness/asserts/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/asserts/bounds.h"
#include "harness/asserts/condition.h"
#include "harness/asserts/describe.h"
#include "harness/asserts/scan.h"
#include "harness/asserts/sequence.h"

namespace minrepro {
namespace {

using asserts::Checked;
using asserts::ElementTest;
using asserts::Measure;

/// How a domain is judged.
enum class Judged {
  kByElement,      ///< each element by itself
  kByRow,          ///< the numbers of a row, or the coordinates of a column, together
  kAsAWhole,       ///< in a way of its own
};

Judged how_judged(Domain domain) {
  switch (domain) {
    case Domain::kIndex:
    case Domain::kProbability:
    case Domain::kNonNegative:
    case Domain::kNonNegativeOrNan:
    case Domain::kFiniteNonNegative:
    case Domain::kDivisor: return Judged::kByElement;
    case Domain::kSumAtMost:
    case Domain::kNonDecreasing:
    case Domain::kAligned:
    case Domain::kCompressed:
    case Domain::kIncreasingSlices:
    case Domain::kCoordinates:
    case Domain::kEachCoordinate: return Judged::kByRow;
    case Domain::kWeights:
    case Domain::kCount:
    case Domain::kSum:
    case Domain::kNonZero:
    case Domain::kElements: return Judged::kAsAWhole;
  }
  return Judged::kAsAWhole;
}

/// One element's test, which everything passes where elements are not looked at one by one; the bounds count for kIndex only.
ElementTest test_of(Domain domain, const std::optional<Bounds>& bounds) {
  ElementTest test;
  test.last = std::numeric_limits<int64_t>::max();
  switch (domain) {
    case Domain::kIndex:
      if (bounds) {
        test.lowest = bounds->lowest;
        test.last = bounds->bound - 1;
        test.excluded = bounds->excluded;
        test.cut = bounds->cut;
        // Nothing that was cut is equal to a number that does not fit.
        const bool fits = !bounds->ignored || bounds->cut == Cut::kNone ||
                          (bounds->cut == Cut::kInt32 ? *bounds->ignored == static_cast<int32_t>(*bounds->ignored)
                                                      : *bounds->ignored == static_cast<uint32_t>(*bounds->ignored));
        if (fits) test.ignored = bounds->ignored;
      }
      break;
    case Domain::kProbability:
      test.last = 1;
      test.highest = 1;
      break;
    case Domain::kNonNegative: test.highest = std::numeric_limits<double>::infinity(); break;
    case Domain::kNonNegativeOrNan:
      test.highest = std::numeric_limits<double>::infinity();
      test.nan_holds = true;
      break;
    case Domain::kFiniteNonNegative:
    case Domain::kWeights: test.highest = std::numeric_limits<double>::max(); break;
    case Domain::kDivisor:
      test.lowest = std::numeric_limits<int64_t>::min();
      test.excluded = 0;
      break;
    default:
      test.lowest = std::numeric_limits<int64_t>::min();
      test.highest = std::numeric_limits<double>::infinity();
      test.nan_holds = true;
      break;
  }
  return test;
}

/// Kernels are launched for these types only; for others CUDA's host code throws, or the argument means something else (class probabilities
/// as the target of a cross entropy).
bool is_checked_type(const AssertRule& rule, DType dtype) {
  if (!rule.dtypes.empty() && std::find(rule.dtypes.begin(), rule.dtypes.end(), dtype) == rule.dtypes.end()) return false;
  const bool is_number = is_integral(dtype) && dtype != DType::kBool;
  if (how_judged(rule.domain) == Judged::kByRow) return is_number;
  switch (rule.domain) {
    case Domain::kIndex:
      if (rule.bound == BoundKind::kIndexedDimension) return asserts::selects_by_number(dtype);
      return is_number;
    case Domain::kSum: return is_number;
    case Domain::kNonNegative: return is_floating(dtype) || is_number;
    case Domain::kCount: return dtype == DType::kBool || dtype == DType::kUInt8;
    case Domain::kNonZero: return is_integral(dtype) || is_floating(dtype) || is_complex(dtype);
    case Domain::kElements: return true;
    case Domain::kDivisor: return is_integral(dtype);
    default: return is_floating(dtype);
  }
}

Violation violation_of(const AssertRule& rule, const Checked& checked) {
  Violation violation;
  violation.rule = &rule;
  violation.list_position = checked.list_position;
  violation.total = asserts::count_of(checked.tensor.sizes);
  return violation;
}

/// `checked` without what the kernel does not read.
Checked part_of(const Checked& checked, const Part& part) {
  Checked cut = checked;
  cut.tensor.sizes = part.sizes;
  int64_t offset = 0;
  for (std::size_t d = 0; d < part.origin.size(); ++d) offset += part.origin[d] * checked.tensor.strides[d];
  cut.tensor.data = static_cast<const char*>(checked.tensor.data) + offset * size_of(checked.tensor.dtype);
  return cut;
}

std::vector<Part> parts_of(const AssertRule& rule, const CallView& call, const Checked& checked) {
  if (rule.parts != nullptr) return rule.parts(checked.tensor, call);
  return {{std::vector<int64_t>(checked.tensor.sizes.size(), 0), checked.tensor.sizes}};
}

std::optional<Violation> find_offending_elements(const AssertRule& rule, const CallView& call, const Checked& checked, const Measure* measured) {
  ElementTest test = test_of(rule.domain, measured ? std::optional(measured->bounds) : std::nullopt);
  if (rule.rounds_to_float && checked.tensor.dtype == DType::kFloat64) {
    const auto self = call.tensor("self");
    test.rounds_to_float = self && self->dtype != DType::kFloat64;
  }
  // Before every checked launch: where all is well, nothing is made.
  if (rule.parts == nullptr && asserts::surely_all_hold(checked.tensor, test)) return std::nullopt;
  asserts::Offenders all;
  for (const Part& part : parts_of(rule, call, checked)) {
    const Checked read = part_of(checked, part);
    if (rule.parts != nullptr && asserts::surely_all_hold(read.tensor, test)) continue;
    asserts::Offenders found = asserts::find_offenders(read.tensor, test);
    for (std::size_t d = 0; d < found.first.size(); ++d) found.first[d] += part.origin[d];
    all.add(found);
  }
  if (all.offending == 0) return std::nullopt;
  Violation violation = violation_of(rule, checked);
  violation.index = std::move(all.first);
  violation.offending = all.offending;
  if (is_integral(checked.tensor.dtype)) {
    violation.value = fmt::format("{}", all.first_integer);
    violation.lowest_offending = fmt::format("{}", all.lowest_integer);
    violation.highest_offending = fmt::format("{}", all.highest_integer);
  } else {
    const auto text = [&](double value) { return asserts::real_text(checked.tensor.dtype, value); };
    violation.value = text(all.first_real);
    violation.lowest_offending = text(all.lowest_real);
    violation.highest_offending = text(all.highest_real);
  }
  if (measured) violation.bounds = measured->bounds;
  violation.text = asserts::describe(violation, checked, measured);
  return violation;
}

std::optional<Violation> find_bad_rows(const AssertRule& rule, const Checked& checked) {
  asserts::BadRows found = asserts::find_rows_without_positive(checked.tensor);
  const bool overflows = found.rows == 0 && rule.sum_fits;
  if (overflows) found = asserts::find_rows_that_overflow(checked.tensor);
  if (found.rows == 0) return std::nullopt;
  Violation violation = violation_of(rule, checked);
  violation.index = std::move(found.first);
  violation.value = violation.lowest_offending = violation.highest_offending = overflows ? "inf" : "0";
  violation.offending = found.rows * (violation.total / found.total);
  violation.text = overflows ? asserts::describe_overflowing_rows(violation, checked, found.rows, found.total)
                             : asserts::describe_empty_rows(violation, checked, found.rows, found.total);
  return violation;
}

/// How often one number of repeats counts: once for each row that is repeated (repeat_interleave.self_Tensor), if it is the only one.
int64_t rows_of_one_repeat(const AssertRule& rule, const CallView& call, const Checked& checked) {
  if (rule.expands_to.empty() || asserts::count_of(checked.tensor.sizes) != 1) return 1;
  const auto sizes = call.sizes(rule.expands_to);
  if (!sizes) return 1;
  const auto dim = call.integer(rule.dim_argument);
  return dim ? asserts::size_along(*sizes, *dim).value_or(1) : asserts::count_of(*sizes);
}

std::optional<Violation> find_wrong_total(const AssertRule& rule, const CallView& call, const Checked& checked, const Measure& measured) {
  asserts::Total total = asserts::total_of(checked.tensor);
  Violation violation = violation_of(rule, checked);
  if (rule.domain == Domain::kSum) {
    total.sum *= rows_of_one_repeat(rule, call, checked);
    if (total.sum == measured.size) return std::nullopt;
    violation.offending = violation.total;
    violation.value = fmt::format("{}", total.sum);
  } else {
    int64_t selected = total.set;
    if (const auto target = rule.expands_to.empty() ? std::nullopt : call.sizes(rule.expands_to))
      selected *= asserts::broadcast_count(*target, checked.tensor.sizes) / violation.total;
    if (selected <= measured.size) return std::nullopt;
    violation.offending = selected;
    violation.value = fmt::format("{}", selected);
  }
  violation.lowest_offending = violation.highest_offending = violation.value;
  violation.text = asserts::describe(violation, checked, &measured);
  return violation;
}

std::optional<Violation> find_row_misfit(const AssertRule& rule, const CallView& call, const Checked& checked, const Measure* measured) {
  for (const Part& part : parts_of(rule, call, checked)) {
    auto misfit = asserts::find_misfit(rule, call, part_of(checked, part).tensor, part.origin, measured);
    if (!misfit) continue;
    Violation violation = violation_of(rule, checked);
    violation.index = std::move(misfit->index);
    violation.value = violation.lowest_offending = violation.highest_offending = fmt::format("{}", misfit->value);
    violation.offending = misfit->rows;
    violation.text = fmt::format("{} {}", asserts::name_of_checked(checked), misfit->text);
    return violation;
  }
  return std::nullopt;
}

/// Of one element only: host code refuses others.
std::optional<Violation> find_zero(const AssertRule& rule, const Checked& checked) {
  if (asserts::count_of(checked.tensor.sizes) != 1) return std::nullopt;
  const DType dtype = checked.tensor.dtype;
  if (is_complex(dtype) ? !asserts::is_complex_zero(dtype, checked.tensor.data)
                        : is_integral(dtype) ? read_integer(dtype, checked.tensor.data) != 0 : read_real(dtype, checked.tensor.data) != 0)
    return std::nullopt;
  Violation violation = violation_of(rule, checked);
  violation.index.assign(checked.tensor.sizes.size(), 0);
  violation.value = violation.lowest_offending = violation.highest_offending = "0";
  violation.offending = 1;
  violation.text = fmt::format("{} holds {}; {} is needed", asserts::name_of_checked(checked), dtype == DType::kBool ? "False" : "0",
                               dtype == DType::kBool ? "True" : "a number other than 0");
  return violation;
}

std::optional<Violation> find_missing_elements(const AssertRule& rule, const Checked& checked, const Measure& measured) {
  Violation violation = violation_of(rule, checked);
  if (violation.total >= measured.size) return std::nullopt;
  violation.offending = measured.size - violation.total;
  violation.value = violation.lowest_offending = violation.highest_offending = fmt::format("{}", violation.total);
  violation.text = asserts::describe(violation, checked, &measured);
  return violation;
}

/// A mask that selects nothing leaves no element for the numbers beside it.
bool has_empty_mask(const std::vector<Checked>& all) {
  for (const Checked& checked : all)
    if ((checked.tensor.dtype == DType::kBool || checked.tensor.dtype == DType::kUInt8) && checked.tensor.data != nullptr &&
        asserts::total_of(checked.tensor).set == 0)
      return true;
  return false;
}

std::optional<Violation> find_violation(const AssertRule& rule, const CallView& call, const Checked& checked, const Measure* measured) {
  if (how_judged(rule.domain) == Judged::kByRow) return find_row_misfit(rule, call, checked, measured);
  switch (rule.domain) {
    case Domain::kCount:
    case Domain::kSum: return measured ? find_wrong_total(rule, call, checked, *measured) : std::nullopt;
    case Domain::kNonZero: return find_zero(rule, checked);
    case Domain::kElements: return measured ? find_missing_elements(rule, checked, *measured) : std::nullopt;
    case Domain::kWeights: {
      auto violation = find_offending_elements(rule, call, checked, measured);
      return violation ? violation : find_bad_rows(rule, checked);
    }
    default: return find_offending_elements(rule, call, checked, measured);
  }
}

/// What the kernel of this call prints.
Printed printed_of(const AssertRule& rule, const CallView& call, const Violation& violation) {
  Printed printed{.file = rule.file, .expression = rule.expression, .line = rule.on_cuda == OnCuda::kAsserts ? rule.line : 0, .function = rule.function};
  for (const Printed& other : rule.also_prints) {
    if (other.line == 0 || (other.of_negative && !violation.value.starts_with('-')) || !asserts::all_hold(other.when, call)) continue;
    printed = other;
    break;
  }
  return printed;
}

}  // namespace

std::optional<Violation> check(const AssertRule& rule, const CallView& call) {
  const std::vector<Checked> all = asserts::checked_tensors(rule, call);
  if (all.empty() || !asserts::applies(rule, call)) return std::nullopt;
  for (const Checked& checked : all) {
    const bool by_size = rule.domain == Domain::kElements;
    if (!is_checked_type(rule, checked.tensor.dtype)) continue;
    if (!by_size && (checked.tensor.data == nullptr || asserts::count_of(checked.tensor.sizes) == 0)) continue;
    std::optional<Measure> measured;
    if (rule.bound != BoundKind::kNone) {
      measured = asserts::measure(rule, call, checked.list_position);
      if (!measured || measured->idle) continue;
      if (measured->refused && rule.domain == Domain::kIndex) continue;
    }
    std::optional<Violation> violation = find_violation(rule, call, checked, measured ? &*measured : nullptr);
    if (!violation) continue;
    if (rule.bound == BoundKind::kIndexedDimension && has_empty_mask(all)) return std::nullopt;
    // one_hot that is to count the classes itself: if no label is a class, host code throws.
    if (measured && measured->bounds.bound == std::numeric_limits<int64_t>::max() && violation->offending == violation->total) return std::nullopt;
    violation->printed = printed_of(rule, call, *violation);
    return violation;
  }
  return std::nullopt;
}

std::optional<Violation> check(std::string_view op, const CallView& call) {
  for (const AssertRule* rule : rules_for(op)) {
    if (rule->on_cuda == OnCuda::kSilent) continue;
    if (auto violation = check(*rule, call)) return violation;
  }
  return std::nullopt;
}

std::string printed_expression(const Violation& violation, const CallView& call) {
  const std::string_view message = violation.rule->message_argument;
  return message.empty() ? std::string(violation.printed.expression) : call.text(message).value_or("");
}

bool judges_as_a_whole(const AssertRule& rule) { return how_judged(rule.domain) != Judged::kByElement; }

std::optional<double> valid_value(const AssertRule& rule, const std::optional<Bounds>& bounds) {
  if (rule.no_stand_in) return std::nullopt;
  switch (rule.domain) {
    case Domain::kIndex:
      if (!bounds) return std::nullopt;
      // -1, where it is allowed, stands for nothing.
      for (int64_t value : {bounds->lowest == -1 && !rule.wraps_negative ? int64_t{-1} : int64_t{0}, int64_t{0}, int64_t{1}, bounds->lowest})
        if (bounds->lowest <= value && value < bounds->bound && value != bounds->excluded) return static_cast<double>(value);
      return std::nullopt;
    case Domain::kProbability: return 0.5;
    case Domain::kNonNegative:
    case Domain::kNonNegativeOrNan:
    case Domain::kFiniteNonNegative:
    case Domain::kWeights:
    case Domain::kNonZero:
    case Domain::kDivisor: return 1.0;
    case Domain::kCount: return 0.0;
    default: return std::nullopt;
  }
}

bool is_valid(const AssertRule& rule, const std::optional<Bounds>& bounds, int64_t integer, double real, bool integral) {
  const ElementTest test = test_of(rule.domain, bounds);
  return integral ? test.holds(integer) : test.holds(real);
}

}  // namespace minrepro
