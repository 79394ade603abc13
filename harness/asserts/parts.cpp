#include "harness/asserts/parts.h"

#include <algorithm>

#include "harness/asserts/bounds.h"

namespace minrepro::asserts {
namespace {

Part whole(const TensorView& view) { return {std::vector<int64_t>(view.sizes.size(), 0), view.sizes}; }

int64_t element(const TensorView& view, int64_t offset) {
  return read_integer(view.dtype, static_cast<const char*>(view.data) + offset * size_of(view.dtype));
}

/// An argument that is a list of integers or a tensor of them, in row-major order.
std::optional<std::vector<int64_t>> lengths_of(std::string_view argument, const CallView& call) {
  std::vector<int64_t> lengths = call.integers(argument);
  if (!lengths.empty()) return lengths;
  const auto tensor = call.tensor(argument);
  if (!tensor || tensor->data == nullptr || !is_integral(tensor->dtype)) return std::nullopt;
  const int64_t n = count_of(tensor->sizes);
  for (int64_t i = 0; i < n; ++i) {
    int64_t offset = 0;
    int64_t rest = i;
    for (std::size_t d = tensor->sizes.size(); d-- > 0; rest /= tensor->sizes[d]) offset += rest % tensor->sizes[d] * tensor->strides[d];
    lengths.push_back(element(*tensor, offset));
  }
  return lengths;
}

}  // namespace

std::vector<Part> labels_of_ctc(const TensorView& targets, const CallView& call) {
  const auto inputs = lengths_of("input_lengths", call);
  const auto lengths = lengths_of("target_lengths", call);
  const auto scores = call.sizes("log_probs");
  if (!inputs || !lengths || !scores || scores->empty() || inputs->size() != lengths->size()) return {};
  std::vector<Part> parts;
  int64_t at = 0;
  for (std::size_t b = 0; b < lengths->size(); ++b) {
    const int64_t length = (*lengths)[b];
    if (length < 0 || (*inputs)[b] < 0 || (*inputs)[b] > scores->front()) return {};
    const auto row = static_cast<int64_t>(b);
    if (targets.sizes.size() == 2) {
      if (row >= targets.sizes[0] || length > targets.sizes[1]) return {};
      if ((*inputs)[b] > 0) parts.push_back({{row, 0}, {1, length}});
    } else if (targets.sizes.size() == 1) {
      if (length > targets.sizes[0] - at) return {};
      if ((*inputs)[b] > 0) parts.push_back({{at}, {length}});
      at += length;
    }
  }
  if (targets.sizes.size() == 1 && at != targets.sizes[0]) return {};
  return parts;
}

std::vector<Part> before_the_first_negative(const TensorView& target, const CallView&) {
  const std::size_t rank = target.sizes.size();
  const int64_t rows = rank == 2 ? target.sizes[0] : 1;
  const int64_t width = rank == 0 ? 1 : target.sizes.back();
  const int64_t row_stride = rank == 2 ? target.strides[0] : 0;
  const int64_t stride = rank == 0 ? 0 : target.strides.back();
  std::vector<Part> parts;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t length = 0;
    while (length < width && static_cast<int32_t>(element(target, row * row_stride + length * stride)) >= 0) ++length;
    if (rank == 0 && length == 1) parts.push_back({{}, {}});
    if (rank == 1) parts.push_back({{0}, {length}});
    if (rank == 2) parts.push_back({{row, 0}, {1, length}});
  }
  return parts;
}

std::vector<Part> offsets_that_count(const TensorView& offsets, const CallView& call) {
  if (offsets.sizes.size() != 1) return {};
  const int64_t bags = offsets.sizes[0] - (call.integer("include_last_offset").value_or(0) != 0 ? 1 : 0);
  if (bags < 1) return {};
  return {{{1}, {bags - 1}}};
}

std::vector<Part> indices_in_bags(const TensorView& indices, const CallView& call) {
  const auto offsets = call.sizes("offsets");
  if (offsets && offsets->size() == 1 && (*offsets)[0] - (call.integer("include_last_offset").value_or(0) != 0 ? 1 : 0) < 1) return {};
  return {whole(indices)};
}

std::vector<Part> ends_that_are_reached(const TensorView& offsets, const CallView& call) {
  const auto values = call.sizes("values");
  const std::vector<int64_t> longest = call.integers("max_lengths");
  if (offsets.sizes.size() != 1 || !values || values->empty() || longest.size() != 1) return {};
  std::vector<Part> parts;
  for (int64_t i = 0; i + 1 < offsets.sizes[0]; ++i) {
    const int64_t begin = element(offsets, i * offsets.strides[0]);
    const int64_t end = element(offsets, (i + 1) * offsets.strides[0]);
    if (end <= begin || longest[0] <= 0) continue;
    if (begin < 0) parts.push_back({{i}, {1}});
    else if (begin >= values->front() || std::min(end - begin, longest[0]) > values->front() - begin) parts.push_back({{i + 1}, {1}});
  }
  return parts;
}

std::vector<Part> all_but_the_last(const TensorView& view, const CallView&) {
  Part part = whole(view);
  if (part.sizes.empty() || part.sizes.back() == 0) return {};
  --part.sizes.back();
  return {std::move(part)};
}

std::vector<Part> first_row(const TensorView& indices, const CallView&) {
  if (indices.sizes.size() != 2 || indices.sizes[0] == 0) return {};
  return {{{0, 0}, {1, indices.sizes[1]}}};
}

}  // namespace minrepro::asserts
