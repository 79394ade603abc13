#include "harness/asserts/parts.h"
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

struct Kernel {
  std::string_view file;
  int line;
  std::string_view function;
};
constexpr Kernel kLibrary = {"SparseBlasImpl.cpp", 834, "addmm_out_sparse_csr"};   // which hands them to cuSPARSE
constexpr Kernel kAddition = {"SparseCsrTensorMath.cu", 236, "add_out_dense_sparse_compressed_cuda"};

/// The columns of a compressed tensor (rows, if columns are compressed), which no kernel looks at.
AssertRule plain(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view size, const Kernel& kernel) {
  return {.id = id, .ops = std::move(ops), .argument = argument, .bound = BoundKind::kInteger, .bound_argument = size,
          .file = kernel.file, .line = kernel.line, .function = kernel.function, .read_in = k2_6,
          .cause = kUnchecked, .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .of_sparse = true};
}

/// The same of where its rows end.
AssertRule compressed(std::string_view id, std::vector<std::string_view> ops, std::string_view argument, std::string_view plain, const Kernel& kernel) {
  return {.id = id, .ops = std::move(ops), .argument = argument, .bound = BoundKind::kSizeAt, .bound_argument = plain, .dim = -1,
          .file = kernel.file, .line = kernel.line, .function = kernel.function, .read_in = k2_6,
          .cause = "A compressed index of a sparse tensor is above the number of its values.", .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess,
          .no_stand_in = true, .inclusive = true, .of_sparse = true};
}

/// A dense tensor that is indexed with the coordinates of a COO tensor of as many dimensions.
AssertRule dense_indexed(std::string_view id, std::string_view op, std::string_view argument, std::string_view sparse, std::string_view dense,
                         std::string_view dense_indices) {
  return {.id = id, .ops = {op}, .argument = argument, .domain = Domain::kEachCoordinate, .bound = BoundKind::kNumel, .bound_argument = sparse,
          .wraps_negative = true, .file = "IndexKernel.cu", .line = 111, .function = "operator()",
          .expression = "-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"", .read_in = k2_11, .cause = kUnchecked, .mend = kCheck,
          .when = {{dense_indices, Is::kNotGiven}, {.argument = dense, .is = Is::kSameRank, .text = sparse}}, .no_stand_in = true, .of_sparse = true};
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
      dense_indexed("coo_mul.other", "aten::mul", "other.indices", "other", "self", "self.indices"),
      dense_indexed("coo_mul.self", "aten::mul", "self.indices", "self", "other", "other.indices"),
      dense_indexed("sparse_mask.indices", "aten::sparse_mask", "mask.indices", "mask", "self", "self.indices"),
      matrix("coo_mm.indices", {"aten::mm", "aten::bmm"}, "self"),
      matrix("coo_addmm.indices", {"aten::addmm", "aten::hspmm", "aten::_sparse_addmm"}, "mat1"),
      {.id = "coo_to_sparse_csr.indices",
       .ops = {"aten::_to_sparse_csr"},
       .argument = "self.indices", .bound = BoundKind::kSizeAt, .bound_argument = "self", .dim = 0,
       .file = "SparseCsrTensorMath.cu", .line = 53, .function = "convert_indices_from_coo_to_csr_cuda_kernel", .read_in = k2_6,
       .cause = kUnchecked, .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true, .of_sparse = true, .parts = asserts::first_row},
      plain("compressed_self.plain", {"aten::mm", "aten::mv", "aten::sparse_sampled_addmm"}, "self.plain_indices", "self.plain_size", kLibrary),
      plain("compressed_mat1.plain", {"aten::addmm"}, "mat1.plain_indices", "mat1.plain_size", kLibrary),
      plain("compressed_mat2.plain", {"aten::mm", "aten::addmm"}, "mat2.plain_indices", "mat2.plain_size", kLibrary),
      plain("compressed_mat.plain", {"aten::addmv"}, "mat.plain_indices", "mat.plain_size", kLibrary),
      plain("compressed_add.plain", {"aten::add", "aten::sub", "aten::mul"}, "other.plain_indices|self.plain_indices", "other.plain_size|self.plain_size", kAddition),
      compressed("compressed_self.rows", {"aten::mm", "aten::mv", "aten::sparse_sampled_addmm"}, "self.compressed_indices", "self.plain_indices", kLibrary),
      compressed("compressed_mat1.rows", {"aten::addmm"}, "mat1.compressed_indices", "mat1.plain_indices", kLibrary),
      compressed("compressed_mat2.rows", {"aten::mm", "aten::addmm"}, "mat2.compressed_indices", "mat2.plain_indices", kLibrary),
      compressed("compressed_mat.rows", {"aten::addmv"}, "mat.compressed_indices", "mat.plain_indices", kLibrary),
      compressed("compressed_add.rows", {"aten::add", "aten::sub", "aten::mul"}, "other.compressed_indices|self.compressed_indices",
                 "other.plain_indices|self.plain_indices", kAddition),
      {.id = "compressed_to_dense.rows",
       .ops = {"aten::_to_dense"},
       .argument = "self.compressed_indices", .bound = BoundKind::kSizeAt, .bound_argument = "self.plain_indices", .dim = -1,
       .file = "SparseCsrTensorMath.cu", .line = 84, .function = "convert_indices_from_csr_to_coo_cuda_kernel", .read_in = k2_6,
       .cause = "A compressed index of a sparse tensor is above the number of its values.", .mend = kCheck, .on_cuda = OnCuda::kIllegalAccess,
       .no_stand_in = true, .inclusive = true, .of_sparse = true, .parts = asserts::all_but_the_last},
  };
}

}  // namespace minrepro::rules
