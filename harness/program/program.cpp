#include "harness/program/program.h"

#include <algorithm>
#include <limits>
#include <set>

namespace minrepro {

bool ValuesFill::operator==(const ValuesFill& other) const {
  return bytes == other.bytes || (bytes && other.bytes && *bytes == *other.bytes);
}

int64_t numel(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes)
    if (size == 0) return 0;
  for (const int64_t size : sizes)
    if (__builtin_mul_overflow(product, size, &product)) return std::numeric_limits<int64_t>::max();
  return product;
}

std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step)) step = std::numeric_limits<int64_t>::max();
  }
  return strides;
}

bool is_contiguous(const TensorMeta& meta) {
  if (meta.layout != "strided") return false;
  if (numel(meta.sizes) == 0) return true;
  int64_t step = 1;
  for (std::size_t i = meta.sizes.size(); i-- > 0;) {
    if (meta.sizes[i] == 1) continue;
    if (meta.strides[i] != step) return false;
    step *= meta.sizes[i];
  }
  return true;
}

const Value* Call::find(const std::string& name) const {
  for (const Argument& arg : args)
    if (arg.name == name) return &arg.value;
  return nullptr;
}

Value* Call::find(const std::string& name) { return const_cast<Value*>(std::as_const(*this).find(name)); }

const Leaf* Program::find_leaf(int id) const {
  for (const Leaf& leaf : leaves)
    if (leaf.id == id) return &leaf;
  return nullptr;
}

Leaf* Program::find_leaf(int id) { return const_cast<Leaf*>(std::as_const(*this).find_leaf(id)); }

namespace {
void collect(const Value& value, std::vector<int>& ids) {
  if (const auto* ref = value.get_if<TensorRef>()) ids.push_back(ref->id);
  if (const auto* list = value.get_if<Value::List>())
    for (const Value& item : *list) collect(item, ids);
}
}  // namespace

std::vector<int> tensors_in(const Value& value) {
  std::vector<int> ids;
  collect(value, ids);
  return ids;
}

int next_id(const Program& program) {
  int next = 0;
  for (const Leaf& leaf : program.leaves) next = std::max(next, leaf.id + 1);
  for (const Call& call : program.calls)
    for (const int id : call.results) next = std::max(next, id + 1);
  return next;
}

int64_t count_elements(const Program& program) {
  int64_t total = 0;
  for (const Leaf& leaf : program.leaves) {
    if (leaf.view || !leaf.components.empty()) continue;
    if (__builtin_add_overflow(total, numel(leaf.meta.sizes), &total)) return std::numeric_limits<int64_t>::max();
  }
  return total;
}

void drop_unused_leaves(Program& program) {
  std::set<int> used;
  for (const Call& call : program.calls)
    for (const Argument& arg : call.args)
      for (const int id : tensors_in(arg.value)) used.insert(id);
  // A used leaf keeps its base and its components; those can have bases of their own, so repeat until nothing is added.
  for (bool grew = true; grew;) {
    const std::size_t before = used.size();
    for (const Leaf& leaf : program.leaves) {
      if (!used.contains(leaf.id)) continue;
      if (leaf.view) used.insert(leaf.view->base);
      used.insert(leaf.components.begin(), leaf.components.end());
    }
    grew = used.size() != before;
  }
  std::erase_if(program.leaves, [&](const Leaf& leaf) { return !used.contains(leaf.id); });
}

}  // namespace minrepro
