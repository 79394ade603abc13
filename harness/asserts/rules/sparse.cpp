#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

constexpr std::string_view kFile = "ValidateCompressedIndicesCommon.h";
constexpr std::string_view kInvariant = "cond && message";   // whatever the invariant
constexpr std::string_view kLook = "torch.sparse_csr_tensor(crow.cpu(), col.cpu(), values.cpu(), size, check_invariants=True)  # says which one";

constexpr std::string_view kUnchecked = "A coordinate of a sparse tensor lies outside of its sizes, which nobody checked when it was made.";
constexpr std::string_view kCheck = "torch.sparse.check_sparse_tensor_invariants.enable()  # checks each sparse tensor when it is made";

/// A COO tensor that becomes dense: index_add_ with flat positions, or a kernel without an assertion if it is coalesced.
AssertRule coordinates(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view tensor, OnCuda on_cuda,
                       std::vector<Condition> when) {
  AssertRule rule{.id = id, .ops = std::move(ops), .argument = argument, .domain = Domain::kCoordinates, .bound = BoundKind::kNumel, .bound_argument = tensor,
                  .file = "Indexing.cu", .line = 1021, .function = "indexFuncSmallIndex", .expression = "dstIndex < dstAddDimSize", .read_in = k2_11,
                  .cause = kUnchecked, .mend = kCheck, .when = std::move(when), .on_cuda = on_cuda, .no_stand_in = true, .of_sparse = true};
  if (on_cuda == OnCuda::kAsserts) return rule;
  rule.file = "SparseCUDAApplyUtils.cuh";
  rule.line = 48;
  rule.function = "sparseElementwiseKernel";
  rule.expression = "";
  rule.read_in = k2_6;
  return rule;
}

/// cuSPARSE is handed the indices of a COO matrix.
AssertRule matrix(std::string_view id, std::vector<std::string_view> ops, std::string_view tensor) {
  return {.id = id, .ops = std::move(ops), .argument = tensor == "self" ? "self.indices" : "mat1.indices", .domain = Domain::kEachCoordinate,
          .bound = BoundKind::kNumel, .bound_argument = tensor,
          .file = "SparseCUDATensorMath.cu", .line = 72, .function = "s_addmm_out_sparse_dense_cuda_worker", .read_in = k2_6,
          .cause = kUnchecked, .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .of_sparse = true};
}

/// cuSPARSE, or the addition of a CSR tensor, is handed its columns.
AssertRule columns(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view tensor) {
  return {.id = id, .ops = std::move(ops), .argument = argument, .bound = BoundKind::kSizeAt, .bound_argument = tensor, .dim = 1,
          .file = "SparseBlasImpl.cpp", .line = 579, .function = "spmm", .read_in = k2_6,
          .cause = kUnchecked, .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .of_sparse = true};
}

/// The same of where its rows end.
AssertRule row_ends(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view columns_of_it) {
  return {.id = id, .ops = std::move(ops), .argument = argument, .bound = BoundKind::kSizeAt, .bound_argument = columns_of_it, .dim = -1,
          .file = "SparseCsrTensorMath.cu", .line = 84, .function = "convert_indices_from_csr_to_coo_cuda_kernel", .read_in = k2_6,
          .cause = "A compressed index of a CSR tensor is above the number of its values.", .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess,
          .no_stand_in = true, .inclusive = true, .of_sparse = true};
}

}  // namespace

std::vector<AssertRule> sparse() {
  return {
      {.id = "validate_compressed.plain_idx",
       .ops = {"aten::_validate_compressed_sparse_indices"},
       .argument = "plain_idx", .bound = BoundKind::kInteger, .bound_argument = "dim",
       .file = kFile, .line = 44, .function = "_assert", .expression = kInvariant, .read_in = k2_11,
       .cause = "A column of a CSR tensor (a row of a CSC tensor) is not below the size of its dimension.", .mend = kLook},
      {.id = "validate_compressed.compressed_idx",
       .ops = {"aten::_validate_compressed_sparse_indices"},
       .argument = "compressed_idx", .domain = Domain::kCompressed, .bound = BoundKind::kInteger, .bound_argument = "nnz",
       .file = kFile, .line = 44, .function = "_assert", .expression = kInvariant, .read_in = k2_11,
       .cause = "The compressed indices of a sparse tensor do not go from 0 to the number of its values in steps that fit.", .mend = kLook,
       .no_stand_in = true},
      {.id = "validate_compressed.order",
       .ops = {"aten::_validate_compressed_sparse_indices"},
       .argument = "plain_idx", .domain = Domain::kIncreasingSlices,
       .file = kFile, .line = 44, .function = "_assert", .expression = kInvariant, .read_in = k2_11,
       .cause = "The columns of a row (the rows of a column) are not sorted, or one comes twice.", .mend = kLook, .no_stand_in = true},
      {.id = "coo_to_csr.indices",
       .ops = {"aten::_convert_indices_from_coo_to_csr"},
       .argument = "self", .bound = BoundKind::kInteger, .bound_argument = "size",
       .file = "SparseCsrTensorMath.cu", .line = 53, .function = "convert_indices_from_coo_to_csr_cuda_kernel", .read_in = k2_6,
       .cause = "A row of a COO tensor is not below the number of rows.", .mend = "torch.sparse_coo_tensor(…, check_invariants=True)",
       .on_cuda = OnCuda::kIllegalAccess, .checks_first = true},
      {.id = "csr_to_coo.crow_indices",
       .ops = {"aten::_convert_indices_from_csr_to_coo"},
       .argument = "crow_indices", .bound = BoundKind::kSizeAt, .bound_argument = "col_indices", .dim = -1,
       .file = "SparseCsrTensorMath.cu", .line = 84, .function = "convert_indices_from_csr_to_coo_cuda_kernel", .read_in = k2_6,
       .cause = "A compressed index of a CSR tensor is above the number of its values.", .mend = "torch.sparse_csr_tensor(…, check_invariants=True)",
       .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .inclusive = true},

      // COO and CSR tensors are made without a look at their indices; what uses them fails.
      coordinates("coo_add.indices", {"aten::add", "aten::sub"}, "other.indices", "other", OnCuda::kAsserts,
                  {{"self.indices", Is::kNotGiven}, {"other.coalesced", Is::kEqual, 0}}),
      coordinates("coo_add.coalesced", {"aten::add", "aten::sub"}, "other.indices", "other", OnCuda::kIllegalAccess,
                  {{"self.indices", Is::kNotGiven}, {"other.coalesced", Is::kEqual, 1}}),
      coordinates("coo_to_dense.indices", {"aten::_to_dense"}, "self.indices", "self", OnCuda::kAsserts, {{"self.coalesced", Is::kEqual, 0}}),
      coordinates("coo_to_dense.coalesced", {"aten::_to_dense"}, "self.indices", "self", OnCuda::kIllegalAccess, {{"self.coalesced", Is::kEqual, 1}}),
      {.id = "coo_mul.indices",  // the dense tensor is indexed with them
       .ops = {"aten::mul"},
       .argument = "other.indices", .domain = Domain::kEachCoordinate, .bound = BoundKind::kNumel, .bound_argument = "other", .wraps_negative = true,
       .file = "IndexKernel.cu", .line = 111, .function = "operator()", .expression = "-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"",
       .read_in = k2_11, .cause = kUnchecked, .mend = kCheck, .when = {{"self.indices", Is::kNotGiven}}, .no_stand_in = true, .of_sparse = true},
      {.id = "sparse_mask.indices",
       .ops = {"aten::sparse_mask"},
       .argument = "mask.indices", .domain = Domain::kEachCoordinate, .bound = BoundKind::kNumel, .bound_argument = "mask", .wraps_negative = true,
       .file = "IndexKernel.cu", .line = 111, .function = "operator()", .expression = "-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"",
       .read_in = k2_11, .cause = kUnchecked, .mend = kCheck, .when = {{"self.indices", Is::kNotGiven}}, .no_stand_in = true, .of_sparse = true},
      matrix("coo_mm.indices", {"aten::mm", "aten::bmm"}, "self"),
      matrix("coo_addmm.indices", {"aten::addmm", "aten::hspmm", "aten::_sparse_addmm"}, "mat1"),
      columns("csr_mm.col_indices", {"aten::mm", "aten::mv"}, "self.col_indices", "self"),
      columns("csr_addmm.col_indices", {"aten::addmm"}, "mat1.col_indices", "mat1"),
      columns("csr_addmv.col_indices", {"aten::addmv"}, "mat.col_indices", "mat"),
      columns("csr_add.col_indices", {"aten::add"}, "other.col_indices", "other"),
      row_ends("csr_mm.crow_indices", {"aten::mm", "aten::mv"}, "self.crow_indices", "self.col_indices"),
      row_ends("csr_addmm.crow_indices", {"aten::addmm"}, "mat1.crow_indices", "mat1.col_indices"),
      row_ends("csr_addmv.crow_indices", {"aten::addmv"}, "mat.crow_indices", "mat.col_indices"),
      row_ends("csr_add.crow_indices", {"aten::add"}, "other.crow_indices", "other.col_indices"),
      row_ends("csr_to_dense.crow_indices", {"aten::_to_dense"}, "self.crow_indices", "self.col_indices"),
  };
}

}  // namespace minrepro::rules
