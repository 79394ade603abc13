#pragma once

#include <span>
#include <string_view>

#include "reducers/edit.h"

namespace minrepro {

/// One pass: its file under `passes/` is named for it.
struct PassRow {
  std::string_view name;
  int tier;                     ///< passes of a lower tier run first: they take away more for a question
  FindEdits find;
  std::string_view summary;
};

/// Every pass, in the order in which they run.
std::span<const PassRow> pass_table();

std::vector<Edit> remove_calls(const Program&, const PassContext&);
std::vector<Edit> shrink_dimensions(const Program&, const PassContext&);
std::vector<Edit> drop_arguments(const Program&, const PassContext&);
std::vector<Edit> reduce_rank(const Program&, const PassContext&);
std::vector<Edit> plain_layouts(const Program&, const PassContext&);
std::vector<Edit> plain_dtypes(const Program&, const PassContext&);
std::vector<Edit> simplify_fills(const Program&, const PassContext&);
std::vector<Edit> simplify_values(const Program&, const PassContext&);
std::vector<Edit> simplify_numbers(const Program&, const PassContext&);

}  // namespace minrepro
