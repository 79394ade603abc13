#include "harness/asserts/bounds.h"

#include <algorithm>
#include <limits>

#include "harness/asserts/condition.h"

namespace minrepro {
namespace asserts {
namespace {

struct NamedSizes {
  std::string_view argument;
  std::vector<int64_t> sizes;
};

std::optional<NamedSizes> bound_tensor(const AssertRule& rule, const CallView& call) {
  for (std::string_view name : alternatives(rule.bound_argument))
    if (auto sizes = call.sizes(name)) return NamedSizes{name, std::move(*sizes)};
  return std::nullopt;
}

/// A dimension's number counted from the front; a scalar tensor has one dimension.
std::optional<int64_t> wrapped(int64_t dim, const std::vector<int64_t>& sizes) {
  const int64_t rank = std::max<int64_t>(1, static_cast<int64_t>(sizes.size()));
  if (dim < -rank || dim >= rank) return std::nullopt;
  return dim < 0 ? dim + rank : dim;
}

int64_t size_at(const std::vector<int64_t>& sizes, int64_t dim) { return sizes.empty() ? 1 : sizes[static_cast<std::size_t>(dim)]; }

bool is_empty_apart_from(const std::vector<int64_t>& sizes, int64_t dim) {
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (d != dim && sizes[static_cast<std::size_t>(d)] == 0) return true;
  return false;
}

/// Dimensions of the indexed tensor that one entry of an index list stands for.
int64_t dimensions_of(const std::optional<TensorView>& entry) {
  if (!entry || (entry->dtype != DType::kBool && entry->dtype != DType::kUInt8)) return 1;
  return static_cast<int64_t>(entry->sizes.size());
}

std::optional<Measure> measure_indexed_dimension(const AssertRule& rule, const CallView& call, int list_position) {
  const auto indexed = bound_tensor(rule, call);
  if (!indexed || list_position < 0) return std::nullopt;
  for (std::string_view name : alternatives(rule.argument)) {
    const auto entries = call.tensors(name);
    if (entries.empty()) continue;
    if (static_cast<std::size_t>(list_position) >= entries.size()) return std::nullopt;
    int64_t dim = 0;
    for (int i = 0; i < list_position; ++i) dim += dimensions_of(entries[static_cast<std::size_t>(i)]);
    const auto& checked = entries[static_cast<std::size_t>(list_position)];
    if (checked && !selects_by_number(checked->dtype)) return std::nullopt;   // a mask
    if (dim >= static_cast<int64_t>(indexed->sizes.size())) return std::nullopt;
    Measure found{.argument = indexed->argument, .dim = dim};
    found.bounds.bound = size_at(indexed->sizes, dim);
    found.refused = found.bounds.bound == 0;
    // A dimension that is not indexed and empty, or an empty index that the others are broadcast with, leaves nothing to do.
    std::vector<bool> is_indexed(indexed->sizes.size(), false);
    std::size_t at = 0;
    for (const auto& entry : entries) {
      const int64_t width = dimensions_of(entry);
      for (int64_t j = 0; j < width && at < is_indexed.size(); ++j) is_indexed[at++] = entry.has_value();
      if (entry && selects_by_number(entry->dtype) && count_of(entry->sizes) == 0) found.no_index = true;
    }
    for (std::size_t d = 0; d < is_indexed.size(); ++d) found.idle = found.idle || (!is_indexed[d] && indexed->sizes[d] == 0);
    return found;
  }
  return std::nullopt;
}

std::optional<Measure> measure_size(const AssertRule& rule, const CallView& call) {
  const auto sized = bound_tensor(rule, call);
  if (!sized) return std::nullopt;
  int64_t dim = rule.dim;
  if (!rule.dim_argument.empty()) dim = call.integer(rule.dim_argument).value_or(dim);
  const auto at = wrapped(dim, sized->sizes);
  if (!at) return std::nullopt;
  Measure found{.argument = sized->argument, .dim = *at};
  found.bounds.bound = size_at(sized->sizes, *at);
  found.idle = is_empty_apart_from(sized->sizes, *at);
  return found;
}

/// The product of the last `rule.dim` numbers of an integer list or of a tensor's sizes.
std::optional<Measure> measure_product(const AssertRule& rule, const CallView& call) {
  std::vector<int64_t> sizes = call.integers(rule.bound_argument);
  if (sizes.empty()) sizes = call.sizes(rule.bound_argument).value_or(std::vector<int64_t>());
  if (sizes.empty() || sizes.size() < static_cast<std::size_t>(rule.dim)) return std::nullopt;
  Measure found{.argument = rule.bound_argument};
  found.bounds.bound = 1;
  for (auto size = sizes.end() - rule.dim; size != sizes.end(); ++size)
    if (*size < 0 || __builtin_mul_overflow(found.bounds.bound, *size, &found.bounds.bound)) return std::nullopt;
  return found;
}

std::optional<Measure> measure_list(const AssertRule& rule, const CallView& call) {
  const std::vector<int64_t> sizes = call.integers(rule.bound_argument);
  const auto at = wrapped(call.integer(rule.dim_argument).value_or(rule.dim), sizes);
  if (!at) return std::nullopt;
  Measure found{.argument = rule.bound_argument, .dim = *at};
  found.bounds.bound = size_at(sizes, *at);
  return found;
}

std::optional<Measure> measure_integer(const AssertRule& rule, const CallView& call) {
  for (std::string_view name : alternatives(rule.bound_argument)) {
    const auto value = call.integer(name);
    if (!value) continue;
    Measure found{.argument = name};
    const bool counts = rule.may_count && *value == -1;
    found.bounds.bound = counts ? std::numeric_limits<int64_t>::max() : *value;
    found.refused = rule.may_count ? *value <= 0 && !counts : *value < 0;
    return found;
  }
  return std::nullopt;
}

std::optional<Measure> measure_unsigned(const AssertRule& rule, const CallView& call, int list_position) {
  switch (rule.bound) {
    case BoundKind::kNone: return std::nullopt;
    case BoundKind::kSizeAt: return measure_size(rule, call);
    case BoundKind::kIndexedDimension: return measure_indexed_dimension(rule, call, list_position);
    case BoundKind::kProduct: return measure_product(rule, call);
    case BoundKind::kNumel: {
      const auto sized = bound_tensor(rule, call);
      if (!sized) return std::nullopt;
      Measure found{.argument = sized->argument};
      found.bounds.bound = count_of(sized->sizes);
      found.refused = found.bounds.bound == 0;   // take and put: "cannot take from an empty tensor"
      return found;
    }
    case BoundKind::kInteger: return measure_integer(rule, call);
    case BoundKind::kListAt: return measure_list(rule, call);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> size_along(const std::vector<int64_t>& sizes, int64_t dim) {
  const auto at = wrapped(dim, sizes);
  return at ? std::optional(size_at(sizes, *at)) : std::nullopt;
}

std::vector<Checked> checked_tensors(const AssertRule& rule, const CallView& call) {
  std::vector<Checked> found;
  for (std::string_view name : alternatives(rule.argument)) {
    if (auto tensor = call.tensor(name)) {
      found.push_back({name, -1, std::move(*tensor)});
      return found;
    }
    auto list = call.tensors(name);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i]) found.push_back({name, static_cast<int>(i), std::move(*list[i])});
    if (!list.empty()) return found;
  }
  return found;
}

bool applies(const AssertRule& rule, const CallView& call) {
  if (!all_hold(rule.when, call)) return false;
  if (!rule.unless.empty() && all_hold(rule.unless, call)) return false;
  if (!rule.required_argument.empty() && !is_given(rule.required_argument, call)) return false;
  if (rule.min_rank == 0 && rule.max_rank == kAnyRank) return true;
  const auto sized = bound_tensor(rule, call);
  if (!sized) return false;
  const auto rank = static_cast<int>(sized->sizes.size());
  return rule.min_rank <= rank && rank <= rule.max_rank;
}

std::optional<Measure> measure(const AssertRule& rule, const CallView& call, int list_position) {
  auto found = measure_unsigned(rule, call, list_position);
  if (!found) return std::nullopt;
  if (rule.refuses_empty && found->bounds.bound == 0) found->refused = true;
  found->size = found->bounds.bound;
  found->bounds.lowest = rule.wraps_negative ? -found->bounds.bound : rule.lowest;
  if (rule.domain == Domain::kIndex && rule.inclusive) ++found->bounds.bound;
  if (rule.excludes_zero) found->bounds.excluded = 0;
  if (rule.cut != Cut::kNone && all_hold(rule.cut_when, call)) found->bounds.cut = rule.cut;
  if (rule.checks_first) {
    found->refused = rule.bound == BoundKind::kInteger && found->size < -1;   // a result of less than no elements
    found->idle = false;
  }
  found->idle = found->idle || found->no_index;
  for (std::string_view name : alternatives(rule.ignored_argument)) {
    found->bounds.ignored = call.integer(name);
    found->ignored_argument = name;
    if (found->bounds.ignored) break;
  }
  return found;
}

int64_t count_of(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

int64_t broadcast_count(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  int64_t count = 1;
  for (std::size_t d = 1; d <= rank; ++d) {
    const int64_t x = d <= a.size() ? a[a.size() - d] : 1;
    const int64_t y = d <= b.size() ? b[b.size() - d] : 1;
    count *= x == 1 ? y : x;
  }
  return count;
}

bool selects_by_number(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

}  // namespace asserts

std::optional<Bounds> bounds_of(const AssertRule& rule, const CallView& call, int list_position) {
  if (rule.domain != Domain::kIndex || !asserts::applies(rule, call)) return std::nullopt;
  const auto found = asserts::measure(rule, call, list_position);
  return found ? std::optional(found->bounds) : std::nullopt;
}

}  // namespace minrepro
