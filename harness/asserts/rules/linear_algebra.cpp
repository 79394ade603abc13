#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {

std::vector<AssertRule> linear_algebra() {
  constexpr std::string_view kCause = "The pivots are not those of the factorisation (they count from 1).";
  constexpr std::string_view kMend = "pass the pivots that the factorisation returned, unchanged";
  return {
      {.id = "lu_unpack.pivots",
       .ops = {"aten::lu_unpack"},
       .argument = "LU_pivots", .bound = BoundKind::kSizeAt, .bound_argument = "LU_data", .dim = -2,
       .file = "LinearAlgebra.cu", .line = 106, .function = "unpack_pivots_cuda_kernel", .read_in = k2_6, .cause = kCause, .mend = kMend,
       .when = {{"unpack_pivots", Condition::Is::kNotEqual, 0}}, .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt32}, .lowest = 1, .inclusive = true},
      {.id = "lu_solve.pivots",
       .ops = {"aten::linalg_lu_solve", "aten::lu_solve"},
       .argument = "pivots|LU_pivots", .bound = BoundKind::kSizeAt, .bound_argument = "LU|LU_data", .dim = -2,
       .file = "BatchLinearAlgebra.cpp", .line = 2390, .function = "lu_solve_kernel", .read_in = k2_6, .cause = kCause, .mend = kMend,
       .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt32}, .lowest = 1, .inclusive = true},
      {.id = "ldl_solve.pivots",  // negative ones stand for blocks of two rows
       .ops = {"aten::linalg_ldl_solve"},
       .argument = "pivots", .bound = BoundKind::kSizeAt, .bound_argument = "LD", .dim = -2, .wraps_negative = true,
       .file = "BatchLinearAlgebraLib.cpp", .line = 113, .function = "ldl_solve_kernel", .read_in = k2_6, .cause = kCause, .mend = kMend,
       .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt32}, .inclusive = true, .excludes_zero = true},
  };
}

}  // namespace minrepro::rules
