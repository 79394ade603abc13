#pragma once

#include <string>

#include "harness/asserts/bounds.h"

/// The words of a violation. Parts of evaluate.h.
namespace minrepro::asserts {

/// "index", or "indices[1]" of a list.
std::string name_of_checked(const Checked& checked);
/// "[1, 7]"
std::string index_text(const std::vector<int64_t>& index);
/// "nan", "1.5": as few digits as tell it from its neighbours in `dtype`.
std::string real_text(DType dtype, double value);

/// Violation::text of one whose other members are filled in. `measured` is null for domains without a bound.
std::string describe(const Violation& violation, const Checked& checked, const Measure* measured);
/// The same for rows without a positive weight.
std::string describe_empty_rows(const Violation& violation, const Checked& checked, int64_t rows, int64_t total);

/// The same for rows whose sum overflows.
std::string describe_overflowing_rows(const Violation& violation, const Checked& checked, int64_t rows, int64_t total);

}  // namespace minrepro::asserts
