#include "harness/torch/sim/sparse_structure.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/asserts/elements.h"
#include "harness/asserts/scan.h"

namespace minrepro::sim {
namespace {

using Complaint = std::optional<std::string>;

/// Operators whose CPU kernels multiply by, convert, slice or reduce sparse tensors. Source: aten/src/ATen/native/sparse of 2.6.0, and calls that ended
/// 2.11's CPU kernels.
constexpr std::array kTrustingOperators = std::to_array<std::string_view>({
    "aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm", "aten::mv", "aten::addmv", "aten::_sparse_sparse_matmul", "aten::_sparse_addmm",
    "aten::_sparse_mm_reduce_impl", "aten::_sparse_mm_reduce_impl_backward", "aten::sspaddmm", "aten::smm", "aten::hspmm", "aten::sparse_sampled_addmm",
    "aten::triangular_solve", "aten::_spsolve", "aten::_to_sparse", "aten::_to_sparse_csr", "aten::_to_sparse_csc", "aten::_to_sparse_bsr",
    "aten::_to_sparse_bsc", "aten::select", "aten::select_copy", "aten::sparse_mask", "aten::_sparse_mask_projection", "aten::_sparse_sum",
    "aten::_sparse_sum_backward", "aten::_sparse_csr_sum", "aten::_sparse_csr_prod", "aten::_sparse_softmax", "aten::_sparse_softmax_backward_data",
    "aten::_sparse_log_softmax", "aten::_sparse_log_softmax_backward_data",
});

Complaint outside(const std::string& name, const TensorView& numbers, int64_t last) {
  const asserts::ElementTest test{.lowest = 0, .last = last};
  if (numbers.data == nullptr || asserts::surely_all_hold(numbers, test)) return std::nullopt;
  const asserts::Offenders found = asserts::find_offenders(numbers, test);
  if (found.offending == 0) return std::nullopt;
  return fmt::format("{} hold {}, and only 0 … {} are inside", name, found.first_integer, last);
}

/// indices [sparse dimensions, elements]
Complaint coo_misfit(const std::string& name, const TensorView& indices, const std::vector<int64_t>& sizes) {
  if (indices.sizes.size() != 2 || indices.data == nullptr) return std::nullopt;
  for (std::size_t d = 0; d < std::min(sizes.size(), static_cast<std::size_t>(indices.sizes[0])); ++d) {
    TensorView row = indices;
    row.data = static_cast<const char*>(indices.data) + static_cast<int64_t>(d) * indices.strides[0] * size_of(indices.dtype);
    row.sizes = {indices.sizes[1]};
    row.strides = {indices.strides[1]};
    if (Complaint complaint = outside(fmt::format("the indices of {} in dimension {}", name, d), row, sizes[d] - 1)) return complaint;
  }
  return std::nullopt;
}

/// compressed [batches…, rows + 1], plain [batches…, elements]
Complaint compressed_misfit(const std::string& name, const TensorView& compressed, const TensorView& plain, int64_t plain_size) {
  if (Complaint complaint = outside("the plain indices of " + name, plain, plain_size - 1)) return complaint;
  if (compressed.sizes.empty() || plain.sizes.empty()) return std::nullopt;
  const int64_t last_row = compressed.sizes.back() - 1, elements = plain.sizes.back();
  int64_t before = 0;
  Complaint complaint;
  asserts::for_each_element(compressed, [&](const std::vector<int64_t>& index, const char* at) {
    const int64_t value = read_integer(compressed.dtype, at);
    if (index.back() == 0) before = 0;
    const bool fits = (index.back() == 0 ? value == 0 : before <= value && value <= elements) && (index.back() < last_row || value == elements);
    if (!fits) complaint = fmt::format("the compressed indices of {} hold {} where {} … {} are possible", name, value, before, elements);
    before = value;
    return fits;
  });
  return complaint;
}

Complaint misfit(const SchemaCallView& call, c10::ArrayRef<c10::IValue> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensor() || !arguments[i].toTensor().defined() || arguments[i].toTensor().layout() == c10::kStrided) continue;
    const std::string& name = call.name_of(i);
    if (const auto indices = call.tensor(name + ".indices")) {
      if (Complaint complaint = coo_misfit(name, *indices, arguments[i].toTensor().sizes().vec())) return complaint;
    }
    const auto compressed = call.tensor(name + ".compressed_indices"), plain = call.tensor(name + ".plain_indices");
    if (!compressed || !plain) continue;
    if (Complaint complaint = compressed_misfit(name, *compressed, *plain, call.integer(name + ".plain_size").value_or(0))) return complaint;
  }
  return std::nullopt;
}

/// The sum of all elements looks at values only.
Complaint misfit_of_sum(const SchemaCallView& call, c10::ArrayRef<c10::IValue> arguments) {
  return call.integers("dim").empty() ? std::nullopt : misfit(call, arguments);
}

/// The CPU's kernel takes -1 for "no position before", and adds what is there to the memory before the values.
Complaint misfit_of_coalesce(const SchemaCallView& call, c10::ArrayRef<c10::IValue>) {
  const auto indices = call.tensor("self.indices");
  const auto sizes = call.sizes("self");
  if (!indices || !sizes || indices->sizes.size() != 2 || indices->data == nullptr) return std::nullopt;
  for (int64_t element = 0; element < indices->sizes[1]; ++element) {
    int64_t position = 0;
    for (int64_t d = 0; d < indices->sizes[0]; ++d) {
      const int64_t offset = (d * indices->strides[0] + element * indices->strides[1]) * size_of(indices->dtype);
      position = position * (*sizes)[static_cast<std::size_t>(d)] + read_integer(indices->dtype, static_cast<const char*>(indices->data) + offset);
    }
    if (position == -1) return fmt::format("the indices of self name the position before the first at element {}", element);
  }
  return std::nullopt;
}

}  // namespace

const Precondition* sparse_precondition_of(std::string_view family) {
  static const auto* any = new Precondition(misfit);
  static const auto* of_sum = new Precondition(misfit_of_sum);
  static const auto* of_coalesce = new Precondition(misfit_of_coalesce);
  if (family == "aten::sum") return of_sum;
  if (family == "aten::_coalesce") return of_coalesce;
  return std::find(kTrustingOperators.begin(), kTrustingOperators.end(), family) == kTrustingOperators.end() ? nullptr : any;
}

}  // namespace minrepro::sim
