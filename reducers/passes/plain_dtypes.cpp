#include <algorithm>

#include <fmt/core.h>

#include "reducers/pass_table.h"
#include "reducers/resize.h"

namespace minrepro {
namespace {

std::optional<DType> plain(DType dtype) {
  if (is_floating(dtype) && dtype != DType::kFloat32) return DType::kFloat32;
  if ((dtype == DType::kInt32 || dtype == DType::kInt16 || dtype == DType::kInt8) ) return DType::kInt64;
  return std::nullopt;
}

/// The leaves, and arguments that name their element type, in the plain type; literal values are converted.
std::optional<Program> converted(const Program& program, const std::vector<int>& leaves, DType from, DType to) {
  Program result = program;
  for (const int id : leaves) {
    Leaf* leaf = result.find_leaf(id);
    if (!leaf || leaf->meta.dtype != from) return std::nullopt;
    leaf->meta.dtype = to;
    const auto* values = std::get_if<ValuesFill>(&leaf->fill);
    if (!values) continue;
    const auto old_size = static_cast<std::size_t>(size_of(from));
    const auto new_size = static_cast<std::size_t>(size_of(to));
    auto bytes = std::make_shared<std::vector<std::byte>>(values->bytes->size() / old_size * new_size);
    for (std::size_t i = 0; i < values->bytes->size() / old_size; ++i) {
      const std::byte* source = values->bytes->data() + i * old_size;
      if (is_integral(from)) write_integer(to, read_integer(from, source), bytes->data() + i * new_size);
      else write_real(to, read_real(from, source), bytes->data() + i * new_size);
    }
    leaf->fill = ValuesFill{std::move(bytes)};
  }
  for (Call& call : result.calls)
    for (Argument& arg : call.args)
      if (auto* dtype = arg.value.get_if<DTypeValue>(); dtype && dtype->dtype == from) dtype->dtype = to;
  return result;
}

}  // namespace

std::vector<Edit> plain_dtypes(const Program& program, const PassContext&) {
  std::map<DType, std::vector<int>> by_type;
  for (const Leaf& leaf : program.leaves)
    if (stands_alone(program, leaf) && plain(leaf.meta.dtype)) by_type[leaf.meta.dtype].push_back(leaf.id);
  std::vector<Edit> edits;
  for (const auto& [dtype, leaves] : by_type) {
    const DType to = *plain(dtype);
    edits.push_back({fmt::format("{} as {}", name_of(dtype), name_of(to)), static_cast<int64_t>(leaves.size()),
                     [leaves = leaves, from = dtype, to](const Program& p) { return converted(p, leaves, from, to); }});
    if (leaves.size() < 2) continue;
    for (const int leaf : leaves)
      edits.push_back({fmt::format("tensor {} as {}", leaf, name_of(to)), 1,
                       [leaf, from = dtype, to](const Program& p) { return converted(p, {leaf}, from, to); }});
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.size > b.size; });
  return edits;
}

}  // namespace minrepro
