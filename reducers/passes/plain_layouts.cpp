#include <fmt/core.h>

#include "reducers/pass_table.h"

namespace minrepro {
namespace {

/// Elements of a view in logical order, picked from its base's literal ones; nullopt if those are not at hand.
std::optional<std::vector<std::byte>> elements_through(const Leaf& base, const Leaf& view) {
  const auto* values = std::get_if<ValuesFill>(&base.fill);
  if (!values || base.view || base.meta.sizes.size() != 1 || base.meta.strides[0] != 1) return std::nullopt;
  const int64_t size = size_of(base.meta.dtype);
  const int64_t count = numel(view.meta.sizes);
  std::vector<std::byte> out;
  out.reserve(static_cast<std::size_t>(count * size));
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t at = view.view->storage_offset, rest = linear;
    for (std::size_t d = view.meta.sizes.size(); d-- > 0;) {
      at += rest % view.meta.sizes[d] * view.meta.strides[d];
      rest /= view.meta.sizes[d];
    }
    if (at < 0 || (at + 1) * size > static_cast<int64_t>(values->bytes->size())) return std::nullopt;
    out.insert(out.end(), values->bytes->begin() + at * size, values->bytes->begin() + (at + 1) * size);
  }
  return out;
}

std::optional<Program> own_memory(const Program& program, int id) {
  Program result = program;
  Leaf* leaf = result.find_leaf(id);
  if (!leaf || !leaf->view) return std::nullopt;
  const Leaf* base = result.find_leaf(leaf->view->base);
  if (!base) return std::nullopt;
  if (auto elements = elements_through(*base, *leaf)) leaf->fill = ValuesFill{std::make_shared<const std::vector<std::byte>>(std::move(*elements))};
  else if (const auto* constant = std::get_if<ConstantFill>(&base->fill)) leaf->fill = *constant;
  else if (is_floating(leaf->meta.dtype)) leaf->fill = RandomFill{42};
  leaf->view.reset();
  leaf->meta.strides = contiguous_strides(leaf->meta.sizes);
  drop_unused_leaves(result);
  return result;
}

std::optional<Program> contiguous(const Program& program, int id) {
  Program result = program;
  Leaf* leaf = result.find_leaf(id);
  if (!leaf || leaf->view || leaf->meta.layout != "strided") return std::nullopt;
  for (const Leaf& other : result.leaves)
    if (other.view && other.view->base == id) return std::nullopt;
  leaf->meta.strides = contiguous_strides(leaf->meta.sizes);
  return result;
}

}  // namespace

std::vector<Edit> plain_layouts(const Program& program, const PassContext&) {
  std::vector<Edit> edits;
  std::vector<int> strided;
  for (const Leaf& leaf : program.leaves) {
    const int id = leaf.id;
    if (leaf.view) edits.push_back({fmt::format("tensor {} with memory of its own", id), 2, [id](const Program& p) { return own_memory(p, id); }});
    else if (leaf.meta.layout == "strided" && leaf.meta.strides != contiguous_strides(leaf.meta.sizes)) strided.push_back(id);
    if (leaf.device || leaf.is_wrapped_number)
      edits.push_back({fmt::format("tensor {} as a plain one on the program's device", id), 1, [id](const Program& p) -> std::optional<Program> {
                         Program result = p;
                         Leaf* found = result.find_leaf(id);
                         if (!found) return std::nullopt;
                         found->device.reset();
                         found->is_wrapped_number = false;
                         return result;
                       }});
  }
  if (strided.size() > 1)
    edits.push_back({"every tensor contiguous", static_cast<int64_t>(strided.size()), [strided](const Program& p) {
                       std::optional<Program> result = p;
                       for (const int id : strided)
                         if (result) result = contiguous(*result, id);
                       return result;
                     }});
  for (const int id : strided) edits.push_back({fmt::format("tensor {} contiguous", id), 1, [id](const Program& p) { return contiguous(p, id); }});
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    if (program.calls[i].seed)
      edits.push_back({fmt::format("call {} without a seed of its own", i), 1, [i](const Program& p) -> std::optional<Program> {
                         if (i >= p.calls.size()) return std::nullopt;
                         Program result = p;
                         result.calls[i].seed.reset();
                         return result;
                       }});
  return edits;
}

}  // namespace minrepro
