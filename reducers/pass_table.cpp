#include "reducers/pass_table.h"

#include <array>

namespace minrepro {

std::span<const PassRow> pass_table() {
  static constexpr std::array kTable = {
      PassRow{"remove_calls", 1, remove_calls, "takes away calls, half of them first; what later calls still need becomes a leaf"},
      PassRow{"shrink_dimensions", 2, shrink_dimensions, "makes sizes smaller, equal ones together; indices follow their bounds"},
      PassRow{"drop_arguments", 2, drop_arguments, "leaves out arguments that have a default, and elements of tensor lists"},
      PassRow{"plain_layouts", 2, plain_layouts, "own contiguous memory on the program's device instead of views, strides and other devices"},
      PassRow{"reduce_rank", 3, reduce_rank, "takes away dimensions of size 1"},
      PassRow{"plain_dtypes", 3, plain_dtypes, "float32 and int64 instead of other element types"},
      PassRow{"simplify_fills", 4, simplify_fills, "zeros, ones or one half instead of random and literal values"},
      PassRow{"simplify_values", 4, simplify_values, "literal values towards zero, offending indices towards their bound"},
      PassRow{"simplify_numbers", 4, simplify_numbers, "integer and float arguments towards zero"},
  };
  return kTable;
}

}  // namespace minrepro
