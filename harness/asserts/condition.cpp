#include "harness/asserts/condition.h"

#include <algorithm>

#include "harness/asserts/bounds.h"

namespace minrepro::asserts {
namespace {

std::optional<std::vector<int64_t>> sizes_of(std::string_view argument, const CallView& call) {
  for (std::string_view name : alternatives(argument))
    if (auto sizes = call.sizes(name)) return sizes;
  return std::nullopt;
}

/// Bytes that a tensor holds for one index into its first dimension.
int64_t row_bytes(std::string_view argument, const CallView& call) {
  for (std::string_view name : alternatives(argument)) {
    const auto tensor = call.tensor(name);
    if (!tensor || tensor->sizes.empty()) continue;
    return count_of({tensor->sizes.begin() + 1, tensor->sizes.end()}) * size_of(tensor->dtype);
  }
  return 0;
}

}  // namespace

bool is_given(std::string_view argument, const CallView& call) {
  for (std::string_view name : alternatives(argument)) {
    if (call.sizes(name)) return true;
    const bool is_component = name.find('.') != std::string_view::npos;
    if (!is_component && (call.integer(name) || !call.tensors(name).empty() || !call.integers(name).empty())) return true;
  }
  return false;
}

bool holds(const Condition& condition, const CallView& call) {
  using Is = Condition::Is;
  const auto integer = [&] { return call.integer(condition.argument).value_or(0); };
  const auto elements = [&] {
    const auto sizes = sizes_of(condition.argument, call);
    return sizes ? count_of(*sizes) : 0;
  };
  switch (condition.is) {
    case Is::kGiven: return is_given(condition.argument, call);
    case Is::kNotGiven: return !is_given(condition.argument, call);
    case Is::kEqual: return integer() == condition.value;
    case Is::kNotEqual: return integer() != condition.value;
    case Is::kAtLeast: return integer() >= condition.value;
    case Is::kAtMost: return integer() <= condition.value;
    case Is::kMoreElements: return elements() > condition.value;
    case Is::kNotMoreElements: return elements() <= condition.value;
    case Is::kRank:
    case Is::kNotRank: {
      const auto sizes = sizes_of(condition.argument, call);
      return sizes && (static_cast<int64_t>(sizes->size()) == condition.value) == (condition.is == Is::kRank);
    }
    case Is::kSameRank: {
      const auto sizes = sizes_of(condition.argument, call);
      const auto other = sizes_of(condition.text, call);
      return sizes && other && sizes->size() == other->size();
    }
    case Is::kLastDimension: {
      const auto sizes = sizes_of(condition.argument, call);
      return sizes && call.integer(condition.text).value_or(0) == static_cast<int64_t>(sizes->size()) - 1;
    }
    case Is::kRowMajor:
    case Is::kNotRowMajor: {
      const auto tensor = call.tensor(condition.argument);
      if (!tensor || tensor->strides.empty()) return false;
      return (tensor->strides.back() == 1) == (condition.is == Is::kRowMajor);
    }
    case Is::kRepeatsRows: {
      const auto tensor = call.tensor(condition.argument);
      return tensor && tensor->strides.size() > 1 && tensor->strides.back() == 0 && tensor->sizes.back() > 1;
    }
    case Is::kDType: {
      const auto tensor = call.tensor(condition.argument);
      return tensor && is_one_of(name_of(tensor->dtype), condition.text);
    }
    case Is::kIntegral: {
      const auto tensor = call.tensor(condition.argument);
      return tensor ? is_integral(tensor->dtype) : call.integer(condition.argument).has_value();
    }
    case Is::kWideRows: {
      const int64_t bytes = row_bytes(condition.argument, call);
      return bytes > 0 && bytes % condition.value == 0;
    }
    case Is::kListLength: return static_cast<int64_t>(call.tensors(condition.argument).size()) == condition.value;
    case Is::kText: return call.text(condition.argument) == condition.text;
  }
  return false;
}

bool all_hold(const std::vector<Condition>& conditions, const CallView& call) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) { return holds(condition, call); });
}

}  // namespace minrepro::asserts
