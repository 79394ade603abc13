#include "harness/asserts/sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/asserts/describe.h"

namespace minrepro::asserts {
namespace {

/// One row of a view.
struct Row {
  DType dtype;
  const char* first;
  int64_t length;
  int64_t bytes;                           ///< from one number to the next
  std::vector<int64_t> index;              ///< of the first number, in the whole tensor

  int64_t operator[](int64_t i) const { return read_integer(dtype, first + i * bytes); }
};

struct Found {
  int64_t at = 0;
  std::string text;
};

/// Calls `visit(row)` for each row in row-major order; `view` is a part of a tensor that starts at `origin`. A view with an empty dimension other than the last has none.
template <typename Visit>
void for_each_row(const TensorView& view, const std::vector<int64_t>& origin, const Visit& visit) {
  const int64_t size = size_of(view.dtype);
  Row row{view.dtype, static_cast<const char*>(view.data), 1, 0, origin};
  if (!view.sizes.empty()) {
    row.length = view.sizes.back();
    row.bytes = view.strides.back() * size;
  }
  const std::size_t outer = view.sizes.empty() ? 0 : view.sizes.size() - 1;
  for (std::size_t d = 0; d < outer; ++d)
    if (view.sizes[d] == 0) return;
  while (true) {
    visit(row);
    std::size_t d = outer;
    while (d > 0) {
      --d;
      row.first += view.strides[d] * size;
      if (++row.index[d] < origin[d] + view.sizes[d]) break;
      row.first -= view.strides[d] * view.sizes[d] * size;
      row.index[d] = origin[d];
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

std::vector<int64_t> index_of(const Row& row, int64_t at) {
  std::vector<int64_t> index = row.index;
  if (!index.empty()) index.back() += at;
  return index;
}

std::string place(const Row& row, int64_t at) { return row.index.empty() ? "" : " at " + index_text(index_of(row, at)); }

int64_t difference(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); }

std::optional<Found> decrease_in(const AssertRule& rule, const Row& row, const Measure* measured) {
  for (int64_t i = 0; i < row.length; ++i) {
    if (i == 0 && !rule.after_zero) continue;
    const int64_t before = i == 0 ? 0 : row[i - 1];
    if (row[i] < before)
      return i == 0 ? Found{i, fmt::format("holds {}{}; 0 comes before it, and it must not decrease", row[i], place(row, i))}
                    : Found{i, fmt::format("holds {} after {}{}; it must not decrease", row[i], before, place(row, i))};
  }
  if (measured == nullptr || row.length == 0 || row[row.length - 1] <= measured->size) return std::nullopt;
  return Found{row.length - 1, fmt::format("ends at {}{}; {} has only {} element{}", row[row.length - 1], place(row, row.length - 1), measured->argument,
                                           measured->size, measured->size == 1 ? "" : "s")};
}

std::optional<Found> unaligned_step_in(const AssertRule& rule, const CallView& call, const Row& row) {
  const auto aligned = rule.alignment_of.empty() ? std::nullopt : call.tensor(rule.alignment_of);
  const int64_t step = std::max<int64_t>(1, rule.alignment / (aligned ? size_of(aligned->dtype) : 2));
  for (int64_t i = 0; i + 1 < row.length; ++i) {
    const int64_t before = i == 0 ? 0 : row[i - 1];
    if (difference(row[i], before) % step != 0)
      return Found{i, fmt::format("holds {} after {}{}; steps of {} ({} bytes) are allowed, but for the last one", row[i], before, place(row, i), step,
                                  rule.alignment)};
  }
  return std::nullopt;
}

std::optional<Found> excess_in(const Row& row, const Measure& measured) {
  int64_t sum = 0;
  for (int64_t i = 0; i < row.length; ++i)
    if (__builtin_add_overflow(sum, row[i], &sum)) sum = row[i] < 0 ? INT64_MIN : INT64_MAX;
  if (sum <= measured.size) return std::nullopt;
  return Found{0, fmt::format("adds up to {}; dimension {} of {} has size {}", sum, measured.dim, measured.argument, measured.size)};
}

std::optional<Found> broken_compression_in(const CallView& call, const Row& row, const Measure& measured) {
  if (row.length < 2) return std::nullopt;  // no row, no check
  if (row[0] != 0) return Found{0, fmt::format("starts with {}{}; 0 is needed", row[0], place(row, 0))};
  const int64_t last = row.length - 1;
  if (row[last] != measured.size) return Found{last, fmt::format("ends with {}{}; {} is {}", row[last], place(row, last), measured.argument, measured.size)};
  const int64_t most = call.integer("dim").value_or(0);
  for (int64_t i = 1; i < row.length; ++i) {
    const int64_t step = difference(row[i], row[i - 1]);
    if (step < 0 || step > most)
      return Found{i, fmt::format("goes from {} to {}{}; steps of 0 … {} are allowed", row[i - 1], row[i], place(row, i), most)};
  }
  return std::nullopt;
}

std::optional<Found> disorder_in(const Row& row, const Row& slices) {
  for (int64_t i = 1; i < slices.length; ++i) {
    const int64_t begin = std::clamp<int64_t>(slices[i - 1], 0, row.length);
    const int64_t end = std::clamp<int64_t>(slices[i], 0, row.length);
    for (int64_t j = begin + 1; j < end; ++j)
      if (row[j] <= row[j - 1])
        return Found{j, fmt::format("holds {} after {}{}; inside of a slice it has to increase", row[j], row[j - 1], place(row, j))};
  }
  return std::nullopt;
}

/// The rows of the call's `compressed_idx`, in the order of the plain ones.
std::vector<Row> slices_of(const CallView& call) {
  std::vector<Row> rows;
  const auto compressed = call.tensor("compressed_idx");
  if (compressed && compressed->data != nullptr && is_integral(compressed->dtype)) {
    for_each_row(*compressed, std::vector<int64_t>(compressed->sizes.size(), 0), [&](const Row& row) { rows.push_back(row); });
  }
  return rows;
}

int64_t coordinate(const TensorView& indices, std::size_t d, int64_t column) {
  const int64_t offset = static_cast<int64_t>(d) * indices.strides[0] + column * indices.strides[1];
  return read_integer(indices.dtype, static_cast<const char*>(indices.data) + offset * size_of(indices.dtype));
}

/// Of coordinates, [sparse dimensions, elements]: the first column that lies outside of a tensor of these sizes.
std::optional<Misfit> find_outside_cell(const AssertRule& rule, const TensorView& indices, const std::vector<int64_t>& sizes) {
  if (indices.sizes.size() != 2 || static_cast<std::size_t>(indices.sizes[0]) > sizes.size()) return std::nullopt;
  const auto dims = static_cast<std::size_t>(indices.sizes[0]);
  const int64_t cells = count_of({sizes.begin(), sizes.begin() + indices.sizes[0]});
  std::optional<Misfit> misfit;
  for (int64_t i = 0; i < indices.sizes[1]; ++i) {
    std::optional<std::size_t> outside;
    if (rule.domain == Domain::kCoordinates) {
      const int64_t position = flat_position(indices, sizes, i);
      if (position < 0 || position >= cells) outside = 0;
    } else {
      for (std::size_t d = 0; d < dims && !outside; ++d) {
        const int64_t value = coordinate(indices, d, i);
        if (value < (rule.wraps_negative ? -sizes[d] : 0) || value >= sizes[d]) outside = d;
      }
    }
    if (!outside) continue;
    if (!misfit) {
      std::vector<int64_t> column;
      for (std::size_t d = 0; d < dims; ++d) column.push_back(coordinate(indices, d, i));
      misfit = Misfit{.index = {static_cast<int64_t>(*outside), i}, .value = coordinate(indices, *outside, i), .rows = 0,
                      .text = fmt::format("name the element at {}; the tensor has sizes {}", index_text(column), index_text(sizes))};
    }
    ++misfit->rows;
  }
  return misfit;
}

}  // namespace

int64_t flat_position(const TensorView& indices, const std::vector<int64_t>& sizes, int64_t column) {
  uint64_t flat = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(indices.sizes[0]); ++d)
    flat = flat * static_cast<uint64_t>(sizes[d]) + static_cast<uint64_t>(coordinate(indices, d, column));
  return static_cast<int64_t>(flat);
}

std::optional<Misfit> find_misfit(const AssertRule& rule, const CallView& call, const TensorView& view, const std::vector<int64_t>& origin,
                                  const Measure* measured) {
  if (rule.domain == Domain::kCoordinates || rule.domain == Domain::kEachCoordinate)
    return find_outside_cell(rule, view, call.sizes(rule.bound_argument).value_or(std::vector<int64_t>()));
  std::optional<Misfit> misfit;
  const std::vector<Row> slices = rule.domain == Domain::kIncreasingSlices ? slices_of(call) : std::vector<Row>();
  std::size_t number = 0;
  for_each_row(view, origin, [&](const Row& row) {
    std::optional<Found> found;
    switch (rule.domain) {
      case Domain::kNonDecreasing: found = decrease_in(rule, row, measured); break;
      case Domain::kAligned: found = unaligned_step_in(rule, call, row); break;
      case Domain::kSumAtMost: found = measured != nullptr ? excess_in(row, *measured) : std::nullopt; break;
      case Domain::kCompressed: found = measured != nullptr ? broken_compression_in(call, row, *measured) : std::nullopt; break;
      case Domain::kIncreasingSlices: found = number < slices.size() ? disorder_in(row, slices[number]) : std::nullopt; break;
      default: break;
    }
    ++number;
    if (!found) return;
    if (!misfit) misfit = Misfit{.index = index_of(row, found->at), .value = row[found->at], .rows = 0, .text = std::move(found->text)};
    ++misfit->rows;
  });
  return misfit;
}

}  // namespace minrepro::asserts
