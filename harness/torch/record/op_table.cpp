#include "harness/torch/record/op_table.h"

#include <cstring>
#include <sstream>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>

#include "harness/asserts/rule.h"

namespace minrepro {
namespace {

std::size_t hash_of(const char* key) { return static_cast<std::size_t>(reinterpret_cast<uintptr_t>(key) * 0x9E3779B97F4A7C15u >> 40); }

std::unique_ptr<OpEntry> describe(const char* key, c10::FunctionSchema schema) {
  auto entry = std::make_unique<OpEntry>(std::move(schema));
  const c10::FunctionSchema& s = entry->schema;
  entry->key = key;
  entry->name = s.name();
  std::ostringstream text;
  text << s;
  entry->schema_text = text.str();
  entry->arguments = s.arguments().size();
  entry->returns = s.returns().size();
  const auto handle = c10::Dispatcher::singleton().findSchema(s.operator_name());
  // t_, detach_ and their like write to the tensor's shape, not to its elements.
  const bool writes_shape_only = entry->name == "aten::requires_grad_" || (handle && handle->hasTag(at::Tag::inplace_view));
  for (const c10::Argument& argument : s.arguments()) {
    const bool is_aliased = argument.alias_info() != nullptr;
    entry->mutated.push_back(is_aliased && argument.alias_info()->isWrite() && !writes_shape_only);
    entry->viewed.push_back(is_aliased && !entry->mutated.back());
  }
  for (const c10::Argument& argument : s.returns()) entry->returns_argument.push_back(argument.alias_info() != nullptr && argument.alias_info()->isWrite());
  entry->is_random = handle && handle->hasTag(at::Tag::nondeterministic_seeded);
  entry->is_transparent = entry->name == "aten::_backward";
  entry->leaves_content_open = entry->name.starts_with("aten::empty") || entry->name.starts_with("aten::new_empty") || entry->name.starts_with("aten::set_");
  entry->has_rules = !rules_for(entry->name).empty();
  return entry;
}

}  // namespace

OpTable::OpTable() : slots_(new std::atomic<OpEntry*>[kSlots]()) {}

OpEntry* OpTable::look_up(const char* key) const {
  for (std::size_t slot = hash_of(key) & (kSlots - 1);; slot = (slot + 1) & (kSlots - 1)) {
    OpEntry* entry = slots_[slot].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    // The name is compared too: an operator that was taken away again may leave its address to something else.
    if (entry->key == key && std::strcmp(entry->name.c_str(), key) == 0) return entry;
  }
}

OpEntry* OpTable::find(const at::RecordFunction& fn) {
  const char* key = fn.name();
  if (OpEntry* entry = look_up(key)) return entry;
  // What is no operator is never remembered: its name lies on the stack or the heap, where an operator's may lie later.
  std::optional<c10::FunctionSchema> schema = fn.operator_schema();
  return schema ? add(key, std::move(*schema)) : nullptr;
}

OpEntry* OpTable::find(const c10::FunctionSchema& schema) {
  const char* key = schema.name().c_str();
  if (OpEntry* entry = look_up(key)) return entry;
  return add(key, schema);
}

OpEntry* OpTable::add(const char* key, c10::FunctionSchema schema) {
  std::unique_ptr<OpEntry> entry = describe(key, std::move(schema));
  std::lock_guard<std::mutex> lock(mutex_);
  if (OpEntry* known = look_up(key)) return known;
  if (used_ * 4 >= kSlots * 3) return nullptr;   // more operators than any LibTorch has: names that come and go
  std::size_t slot = hash_of(key) & (kSlots - 1);
  while (slots_[slot].load(std::memory_order_relaxed) != nullptr) slot = (slot + 1) & (kSlots - 1);
  ++used_;
  OpEntry* raw = entry.release();              // kept for good: other threads read it without a lock
  slots_[slot].store(raw, std::memory_order_release);
  return raw;
}

}  // namespace minrepro
