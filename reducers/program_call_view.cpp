#include "reducers/program_call_view.h"

#include "harness/asserts/bounds.h"

namespace minrepro {

std::optional<std::vector<std::byte>> elements_of(const Leaf& leaf) {
  if (leaf.view || !leaf.components.empty()) return std::nullopt;
  if (const auto* values = std::get_if<ValuesFill>(&leaf.fill)) return values->bytes ? *values->bytes : std::vector<std::byte>();
  const auto* constant = std::get_if<ConstantFill>(&leaf.fill);
  if (!constant) return std::nullopt;
  const int64_t count = numel(leaf.meta.sizes);
  const int64_t size = size_of(leaf.meta.dtype);
  if (count > (int64_t{1} << 26) / size) return std::nullopt;      // nobody needs 64 MiB of one number
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size));
  for (int64_t i = 0; i < count; ++i) write_real(leaf.meta.dtype, constant->value, bytes.data() + i * size);
  return bytes;
}

ProgramCallView::ProgramCallView(const Program& program, const Call& call, const PassContext& context)
    : program_(program), call_(call), context_(context) {}

std::optional<TensorView> ProgramCallView::view_of(int id) const {
  if (const Leaf* leaf = program_.find_leaf(id)) {
    TensorView view{leaf->meta.dtype, leaf->meta.sizes, contiguous_strides(leaf->meta.sizes), nullptr};
    auto known = data_.find(id);
    if (known == data_.end())
      if (auto bytes = elements_of(*leaf)) known = data_.emplace(id, std::move(*bytes)).first;
    if (known != data_.end()) view.data = known->second.data();
    return view;
  }
  const auto meta = context_.result_metas.find(id);
  if (meta == context_.result_metas.end()) return std::nullopt;
  return TensorView{meta->second.dtype, meta->second.sizes, contiguous_strides(meta->second.sizes), nullptr};
}

std::optional<TensorView> ProgramCallView::tensor(std::string_view argument) const {
  const Value* value = call_.find(std::string(argument));
  const auto* ref = value ? value->get_if<TensorRef>() : nullptr;
  return ref ? view_of(ref->id) : std::nullopt;
}

std::vector<std::optional<TensorView>> ProgramCallView::tensors(std::string_view argument) const {
  std::vector<std::optional<TensorView>> views;
  const Value* value = call_.find(std::string(argument));
  if (const auto* list = value ? value->get_if<Value::List>() : nullptr)
    for (const Value& item : *list) {
      const auto* ref = item.get_if<TensorRef>();
      views.push_back(ref ? view_of(ref->id) : std::nullopt);
    }
  return views;
}

const Value* ProgramCallView::find(std::string_view argument) const {
  if (const Value* value = call_.find(std::string(argument))) return value;
  const Schema* schema = context_.catalog.find(call_.op);
  const SchemaArgument* described = schema ? schema->find(argument) : nullptr;
  return described && described->default_value ? &*described->default_value : nullptr;
}

std::optional<int64_t> ProgramCallView::integer(std::string_view argument) const {
  const Value* value = find(argument);
  if (!value) return std::nullopt;
  if (const auto* integer = value->get_if<int64_t>()) return *integer;
  if (const auto* flag = value->get_if<bool>()) return *flag;
  return std::nullopt;
}

std::vector<int64_t> ProgramCallView::integers(std::string_view argument) const {
  std::vector<int64_t> numbers;
  const Value* value = find(argument);
  if (const auto* list = value ? value->get_if<Value::List>() : nullptr)
    for (const Value& item : *list) {
      const auto* number = item.get_if<int64_t>();
      if (!number) return {};
      numbers.push_back(*number);
    }
  return numbers;
}

std::optional<std::string> ProgramCallView::text(std::string_view argument) const {
  const Value* value = find(argument);
  const auto* text = value ? value->get_if<std::string>() : nullptr;
  return text ? std::optional(*text) : std::nullopt;
}

std::vector<CheckedTensor> checked_tensors(const Call& call) {
  std::vector<CheckedTensor> found;
  for (const AssertRule* rule : rules_for(call.op)) {
    for (std::string_view name : asserts::alternatives(rule->argument)) {
      const Value* value = call.find(std::string(name));
      if (!value) continue;
      if (const auto* ref = value->get_if<TensorRef>()) found.push_back({rule, -1, ref->id});
      if (const auto* list = value->get_if<Value::List>())
        for (std::size_t i = 0; i < list->size(); ++i)
          if (const auto* item = (*list)[i].get_if<TensorRef>()) found.push_back({rule, static_cast<int>(i), item->id});
      break;
    }
  }
  return found;
}

std::vector<OffendingElement> offending_elements(const Program& program, const PassContext& context) {
  std::vector<OffendingElement> found;
  for (const Call& call : program.calls) {
    const std::vector<CheckedTensor> checked = checked_tensors(call);
    if (checked.empty()) continue;
    const ProgramCallView view(program, call, context);
    for (const AssertRule* rule : rules_for(call.op)) {
      const std::optional<Violation> violation = check(*rule, view);
      if (!violation) continue;
      for (const CheckedTensor& tensor : checked)
        if (tensor.rule == rule && tensor.list_position == violation->list_position && program.find_leaf(tensor.id))
          found.push_back({tensor, violation->index, violation->bounds});
    }
  }
  return found;
}

}  // namespace minrepro
