#include "harness/torch/sim/sparse_structure.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/asserts/elements.h"
#include "harness/asserts/sequence.h"

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

Complaint broken(const AssertRule& rule, const SchemaCallView& call) {
  const std::optional<Violation> violation = check(rule, call);
  return violation ? Complaint(violation->text) : std::nullopt;
}

/// Compressed indices [batches…, rows + 1] of so many elements in each batch.
Complaint compression_misfit(const std::string& name, const TensorView& compressed, int64_t elements) {
  if (compressed.sizes.empty()) return std::nullopt;
  const int64_t last_row = compressed.sizes.back() - 1;
  int64_t before = 0;
  Complaint complaint;
  asserts::for_each_element(compressed, [&](const std::vector<int64_t>& index, const char* at) {
    const int64_t value = read_integer(compressed.dtype, at);
    if (index.back() == 0) before = 0;
    const bool fits = (index.back() == 0 ? value == 0 : before <= value && value <= elements) && (index.back() < last_row || value == elements);
    if (!fits) complaint = fmt::format("{} holds {} where {} … {} are possible", name, value, before, elements);
    before = value;
    return fits;
  });
  return complaint;
}

Complaint misfit(const SchemaCallView& call, c10::ArrayRef<c10::IValue> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensor() || !arguments[i].toTensor().defined() || arguments[i].toTensor().layout() == c10::kStrided) continue;
    const std::string& name = call.name_of(i);
    const std::string indices = name + ".indices", compressed = name + ".compressed_indices", plain = name + ".plain_indices", size = name + ".plain_size";
    const AssertRule coordinates{.argument = indices, .domain = Domain::kEachCoordinate, .bound = BoundKind::kNumel, .bound_argument = name};
    if (Complaint complaint = broken(coordinates, call)) return complaint;
    const AssertRule columns{.argument = plain, .bound = BoundKind::kInteger, .bound_argument = size};
    if (Complaint complaint = broken(columns, call)) return complaint;
    const auto rows = call.tensor(compressed);
    const auto elements = call.sizes(plain);
    if (!rows || !elements || elements->empty()) continue;
    if (Complaint complaint = compression_misfit(compressed, *rows, elements->back())) return complaint;
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
  for (int64_t element = 0; element < indices->sizes[1]; ++element)
    if (asserts::flat_position(*indices, *sizes, element) == -1)
      return fmt::format("self.indices names the position before the first at element {}", element);
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
