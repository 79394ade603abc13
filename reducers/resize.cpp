#include "reducers/resize.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "reducers/program_call_view.h"

namespace minrepro {
namespace {

/// The elements at positions `keep` of dimension `dimension`, in logical order.
std::vector<std::byte> pick(const std::vector<std::byte>& from, const std::vector<int64_t>& sizes, int dimension, std::span<const int64_t> keep, int64_t size) {
  int64_t outer = 1, inner = size;
  for (int i = 0; i < dimension; ++i) outer *= sizes[static_cast<std::size_t>(i)];
  for (std::size_t i = static_cast<std::size_t>(dimension) + 1; i < sizes.size(); ++i) inner *= sizes[i];
  std::vector<std::byte> out;
  out.reserve(static_cast<std::size_t>(outer * inner) * keep.size());
  const int64_t row = inner * sizes[static_cast<std::size_t>(dimension)];
  for (int64_t o = 0; o < outer; ++o)
    for (const int64_t k : keep) {
      const auto begin = from.begin() + o * row + k * inner;
      out.insert(out.end(), begin, begin + inner);
    }
  return out;
}

void set_integer(Program& program, const IntegerPlace& place, int64_t value) {
  Value* argument = program.calls[static_cast<std::size_t>(place.call)].find(place.argument);
  if (!argument) return;
  if (place.position < 0) *argument = value;
  else if (auto* list = argument->get_if<Value::List>(); list && static_cast<std::size_t>(place.position) < list->size())
    (*list)[static_cast<std::size_t>(place.position)] = value;
}

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}

int64_t follow(int64_t value, const Bounds& before, const Bounds& after) {
  if (before.ignored && value == *before.ignored) return value;
  if (value >= before.bound) return saturating_add(after.bound, saturating_add(value, -before.bound));
  if (value < before.lowest) return saturating_add(after.lowest, saturating_add(value, -before.lowest));
  return std::clamp(value, std::min(after.lowest, after.bound - 1), std::max<int64_t>(after.bound - 1, after.lowest));
}

}  // namespace

std::vector<int64_t> strides_like(const TensorMeta& old, const std::vector<int64_t>& sizes) {
  if (is_contiguous(old) || old.strides.size() != sizes.size()) return contiguous_strides(sizes);
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return old.strides[a] > old.strides[b]; });
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    if (old.strides[*at] == 0) continue;
    strides[*at] = step;
    step *= std::max<int64_t>(sizes[*at], 1);
  }
  return strides;
}

bool stands_alone(const Program& program, const Leaf& leaf) {
  if (leaf.view || !leaf.components.empty()) return false;
  return std::none_of(program.leaves.begin(), program.leaves.end(), [&](const Leaf& other) {
    return (other.view && other.view->base == leaf.id) || std::find(other.components.begin(), other.components.end(), leaf.id) != other.components.end();
  });
}

std::optional<Program> keep_positions(const Program& program, std::span<const LeafDimension> dimensions, std::span<const IntegerPlace> integers,
                                      std::span<const int64_t> keep, const PassContext& context) {
  Program result = program;
  for (const LeafDimension& where : dimensions) {
    Leaf* leaf = result.find_leaf(where.leaf);
    if (!leaf || static_cast<std::size_t>(where.dimension) >= leaf->meta.sizes.size()) return std::nullopt;
    int64_t& extent = leaf->meta.sizes[static_cast<std::size_t>(where.dimension)];
    if (keep.empty() || keep.back() >= extent) return std::nullopt;
    if (const auto* values = std::get_if<ValuesFill>(&leaf->fill))
      leaf->fill = ValuesFill{std::make_shared<const std::vector<std::byte>>(
          pick(*values->bytes, leaf->meta.sizes, where.dimension, keep, size_of(leaf->meta.dtype)))};
    const TensorMeta old = leaf->meta;
    extent = static_cast<int64_t>(keep.size());
    leaf->meta.strides = strides_like(old, leaf->meta.sizes);
  }
  for (const IntegerPlace& place : integers) set_integer(result, place, static_cast<int64_t>(keep.size()));
  follow_bounds(program, result, context);
  return result;
}

void follow_bounds(const Program& before, Program& after, const PassContext& context) {
  for (std::size_t i = 0; i < before.calls.size() && i < after.calls.size(); ++i) {
    const std::vector<CheckedTensor> checked = checked_tensors(before.calls[i]);
    for (const CheckedTensor& tensor : checked) {
      if (tensor.rule->domain != Domain::kIndex) continue;
      Leaf* leaf = after.find_leaf(tensor.id);
      const auto* values = leaf ? std::get_if<ValuesFill>(&leaf->fill) : nullptr;
      const auto* constant = leaf ? std::get_if<ConstantFill>(&leaf->fill) : nullptr;
      if (!leaf || leaf->view || (!values && !constant) || !is_integral(leaf->meta.dtype)) continue;
      const auto old_bounds = bounds_of(*tensor.rule, ProgramCallView(before, before.calls[i], context), tensor.list_position);
      const auto new_bounds = bounds_of(*tensor.rule, ProgramCallView(after, after.calls[i], context), tensor.list_position);
      if (!old_bounds || !new_bounds || (old_bounds->bound == new_bounds->bound && old_bounds->lowest == new_bounds->lowest)) continue;
      if (constant) {
        leaf->fill = ConstantFill{static_cast<double>(follow(static_cast<int64_t>(constant->value), *old_bounds, *new_bounds))};
        continue;
      }
      auto bytes = std::make_shared<std::vector<std::byte>>(*values->bytes);
      const auto size = static_cast<std::size_t>(size_of(leaf->meta.dtype));
      for (std::size_t at = 0; at + size <= bytes->size(); at += size)
        write_integer(leaf->meta.dtype, follow(read_integer(leaf->meta.dtype, bytes->data() + at), *old_bounds, *new_bounds), bytes->data() + at);
      leaf->fill = ValuesFill{std::move(bytes)};
    }
  }
}

}  // namespace minrepro
