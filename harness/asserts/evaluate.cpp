#include "harness/asserts/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "harness/asserts/bounds.h"
#include "harness/asserts/describe.h"
#include "harness/asserts/scan.h"

namespace minrepro {
namespace {

using asserts::Checked;
using asserts::ElementTest;
using asserts::Measure;

/// One element's test; the bounds count for kIndex only.
ElementTest test_of(Domain domain, const std::optional<Bounds>& bounds) {
  ElementTest test;
  test.last = std::numeric_limits<int64_t>::max();
  switch (domain) {
    case Domain::kIndex:
      if (bounds) {
        test.lowest = bounds->lowest;
        test.last = bounds->bound - 1;
        test.ignored = bounds->ignored;
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
    case Domain::kCount:
    case Domain::kSum:
      test.lowest = std::numeric_limits<int64_t>::min();
      test.highest = std::numeric_limits<double>::infinity();
      break;
  }
  return test;
}

/// Kernels are launched for these types only; for others CUDA's host code throws, or the argument means something else (class probabilities
/// as the target of a cross entropy).
bool is_checked_type(const AssertRule& rule, DType dtype) {
  switch (rule.domain) {
    case Domain::kIndex:
      if (rule.bound == BoundKind::kIndexedDimension) return asserts::selects_by_number(dtype);
      return is_integral(dtype) && dtype != DType::kBool;
    case Domain::kProbability:
    case Domain::kNonNegativeOrNan:
    case Domain::kFiniteNonNegative:
    case Domain::kWeights: return is_floating(dtype);
    case Domain::kNonNegative: return is_floating(dtype) || (is_integral(dtype) && dtype != DType::kBool);
    case Domain::kCount: return dtype == DType::kBool || dtype == DType::kUInt8;
    case Domain::kSum: return is_integral(dtype);
  }
  return false;
}

Violation violation_of(const AssertRule& rule, const Checked& checked) {
  Violation violation;
  violation.rule = &rule;
  violation.list_position = checked.list_position;
  violation.total = asserts::count_of(checked.tensor.sizes);
  return violation;
}

std::optional<Violation> find_offending_elements(const AssertRule& rule, const Checked& checked, const Measure* measured) {
  const ElementTest test = test_of(rule.domain, measured ? std::optional(measured->bounds) : std::nullopt);
  if (asserts::surely_all_hold(checked.tensor, test)) return std::nullopt;
  asserts::Offenders found = asserts::find_offenders(checked.tensor, test);
  if (found.offending == 0) return std::nullopt;
  Violation violation = violation_of(rule, checked);
  violation.index = std::move(found.first);
  violation.offending = found.offending;
  if (is_integral(checked.tensor.dtype)) {
    violation.value = fmt::format("{}", found.first_integer);
    violation.lowest_offending = fmt::format("{}", found.lowest_integer);
    violation.highest_offending = fmt::format("{}", found.highest_integer);
  } else {
    const auto text = [&](double value) { return asserts::real_text(checked.tensor.dtype, value); };
    violation.value = text(found.first_real);
    violation.lowest_offending = text(found.lowest_real);
    violation.highest_offending = text(found.highest_real);
  }
  if (measured) violation.bounds = measured->bounds;
  violation.text = asserts::describe(violation, checked, measured);
  return violation;
}

std::optional<Violation> find_empty_rows(const AssertRule& rule, const Checked& checked) {
  asserts::EmptyRows found = asserts::find_rows_without_positive(checked.tensor);
  if (found.rows == 0) return std::nullopt;
  Violation violation = violation_of(rule, checked);
  violation.index = std::move(found.first);
  violation.value = violation.lowest_offending = violation.highest_offending = "0";
  violation.offending = found.rows * (violation.total / found.total);
  violation.text = asserts::describe_empty_rows(violation, checked, found.rows, found.total);
  return violation;
}

std::optional<Violation> find_wrong_total(const AssertRule& rule, const CallView& call, const Checked& checked, const Measure& measured) {
  const asserts::Total total = asserts::total_of(checked.tensor);
  Violation violation = violation_of(rule, checked);
  if (rule.domain == Domain::kSum) {
    if (total.sum == measured.bounds.bound) return std::nullopt;
    violation.offending = violation.total;
    violation.value = fmt::format("{}", total.sum);
  } else {
    int64_t selected = total.set;
    if (const auto target = rule.expands_to.empty() ? std::nullopt : call.sizes(rule.expands_to))
      selected *= asserts::broadcast_count(*target, checked.tensor.sizes) / violation.total;
    if (selected <= measured.bounds.bound) return std::nullopt;
    violation.offending = selected;
    violation.value = fmt::format("{}", selected);
  }
  violation.lowest_offending = violation.highest_offending = violation.value;
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

}  // namespace

std::optional<Violation> check(const AssertRule& rule, const CallView& call) {
  const std::vector<Checked> all = asserts::checked_tensors(rule, call);
  if (all.empty() || !asserts::applies(rule, call)) return std::nullopt;
  for (const Checked& checked : all) {
    if (!is_checked_type(rule, checked.tensor.dtype) || checked.tensor.data == nullptr || asserts::count_of(checked.tensor.sizes) == 0) continue;
    std::optional<Measure> measured;
    if (rule.bound != BoundKind::kNone) {
      measured = asserts::measure(rule, call, checked.list_position);
      if (!measured || measured->idle) continue;
      if (measured->refused && rule.domain == Domain::kIndex) continue;
    }
    std::optional<Violation> violation;
    if (rule.domain == Domain::kCount || rule.domain == Domain::kSum) {
      if (measured) violation = find_wrong_total(rule, call, checked, *measured);
    } else {
      violation = find_offending_elements(rule, checked, measured ? &*measured : nullptr);
      if (!violation && rule.domain == Domain::kWeights) violation = find_empty_rows(rule, checked);
    }
    if (!violation) continue;
    if (rule.bound == BoundKind::kIndexedDimension && has_empty_mask(all)) return std::nullopt;
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

bool judges_as_a_whole(const AssertRule& rule) {
  return rule.domain == Domain::kWeights || rule.domain == Domain::kCount || rule.domain == Domain::kSum;
}

std::optional<double> valid_value(const AssertRule& rule, const std::optional<Bounds>& bounds) {
  if (rule.no_stand_in) return std::nullopt;
  switch (rule.domain) {
    case Domain::kIndex: return bounds && bounds->bound > 0 ? std::optional(0.0) : std::nullopt;
    case Domain::kProbability: return 0.5;
    case Domain::kNonNegative:
    case Domain::kNonNegativeOrNan:
    case Domain::kFiniteNonNegative:
    case Domain::kWeights: return 1.0;
    case Domain::kCount: return 0.0;
    case Domain::kSum: return std::nullopt;
  }
  return std::nullopt;
}

bool is_valid(const AssertRule& rule, const std::optional<Bounds>& bounds, int64_t integer, double real, bool integral) {
  const ElementTest test = test_of(rule.domain, bounds);
  if (rule.domain == Domain::kCount || rule.domain == Domain::kSum) return true;
  return integral ? test.holds(integer) : test.holds(real);
}

}  // namespace minrepro
