#include "harness/slice/program_of_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace minrepro {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 48;   ///< more than any memory has

/// One way of looking at one memory. Tensors that agree in it are the same to a program.
using ViewKey = std::tuple<uint64_t, uint64_t, int64_t, DType, std::vector<int64_t>, std::vector<int64_t>, std::string>;

ViewKey key_of(const TraceTensor& t) {
  return {t.storage, t.storage ? 0 : t.tensor, t.storage_offset, t.meta.dtype, t.meta.sizes, t.meta.strides, t.meta.layout};
}

/// A program is passed on (an issue, a corpus): the folders of the user's machine have no place in it.
SourceLine shown_source(SourceLine source) {
  source.file = source.file.substr(source.file.rfind('/') + 1);
  return source;
}

class Builder {
 public:
  Builder(const Trace& trace, const std::string& device) : trace_(trace) {
    out_.program.device = device;
    out_.program.torch_version = trace.torch_version;
  }

  Result<TraceProgram> calls(std::span<const int> calls) {
    for (const int index : calls) note_writes(trace_.calls[static_cast<std::size_t>(index)]);
    for (const int index : calls) {
      const TraceCall& from = trace_.calls[static_cast<std::size_t>(index)];
      const Schema& schema = trace_.ops[static_cast<std::size_t>(from.op)];
      Call call;
      if (Status status = call_of(schema, from.args, call); !status) return status.error();
      if (from.seed_hint && !seeded_) {
        call.seed = from.seed_hint;             // the first random call sets the generator; the others go on from there
        seeded_ = true;
      }
      if (from.source >= 0) call.source = shown_source(trace_.sources[static_cast<std::size_t>(from.source)]);
      for (const Value& result : from.results) add_results(result, call);
      out_.program.calls.push_back(std::move(call));
    }
    return std::move(out_);
  }

  Result<TraceProgram> violation(const TraceViolation& violation, const Schema& recorded, const Schema& wanted) {
    Call call;
    std::vector<Value> args;
    for (const SchemaArgument& argument : wanted.arguments) {
      const auto at = std::find_if(recorded.arguments.begin(), recorded.arguments.end(), [&](const SchemaArgument& a) { return a.name == argument.name; });
      args.push_back(violation.args[static_cast<std::size_t>(at - recorded.arguments.begin())]);
    }
    if (Status status = call_of(wanted, args, call); !status) return status.error();
    if (const int source = trace_.calls[static_cast<std::size_t>(violation.call)].source; source >= 0)
      call.source = shown_source(trace_.sources[static_cast<std::size_t>(source)]);
    for (std::size_t i = 0; i < wanted.returns.size(); ++i)
      if (wanted.returns[i].type == "Tensor") call.results.push_back(next_++);
    out_.program.calls.push_back(std::move(call));
    return std::move(out_);
  }

 private:
  void note_writes(const TraceCall& call) {
    const Schema& schema = trace_.ops[static_cast<std::size_t>(call.op)];
    for (std::size_t i = 0; i < call.args.size() && i < schema.arguments.size(); ++i)
      for (const int id : tensors_in(call.args[i])) {
        const TraceTensor& tensor = trace_.tensors[static_cast<std::size_t>(id)];
        if (schema.arguments[i].mutated) written_.insert(tensor.storage);
        seen_[tensor.storage].insert(key_of(tensor));
      }
  }

  Status call_of(const Schema& schema, const std::vector<Value>& args, Call& call) {
    call.op = schema.name;
    for (std::size_t i = 0; i < args.size() && i < schema.arguments.size(); ++i) {
      const SchemaArgument& argument = schema.arguments[i];
      if (argument.default_value && *argument.default_value == args[i]) continue;
      if (args[i].is<None>() && argument.default_value && argument.default_value->is<None>()) continue;
      Value value = args[i];
      if (Status status = translate(value); !status) return Error{fmt::format("{}: argument '{}' {}", schema.name, argument.name, status.error().message)};
      call.args.push_back({argument.name, std::move(value)});
    }
    return {};
  }

  Status translate(Value& value) {
    if (auto* ref = value.get_if<TensorRef>()) ref->id = use(ref->id);
    if (auto* device = value.get_if<DeviceValue>()) {
      if (!device->name.starts_with("cpu") && !device->name.starts_with("meta")) device->name = out_.program.device;
    }
    if (const auto* opaque = value.get_if<OpaqueValue>()) return Error{fmt::format("is an object of type {}, which a program cannot hold", opaque->type)};
    if (auto* list = value.get_if<Value::List>())
      for (Value& item : *list)
        if (Status status = translate(item); !status) return status;
    return {};
  }

  /// The program's tensor for a mention in the trace; makes a leaf where nothing in the program has made it.
  int use(int mention) {
    const TraceTensor& tensor = trace_.tensors[static_cast<std::size_t>(mention)];
    if (const auto known = current_.find(key_of(tensor)); known != current_.end()) return known->second;
    if (tensor.storage)
      if (const auto base = in_memory_.find(tensor.storage); base != in_memory_.end()) {
        // Something in the program lives in this memory already: a view of it.
        if (made_by_call_.contains(base->second)) return strided_view_of(base->second, tensor);
        if (const Leaf* leaf = out_.program.find_leaf(base->second); leaf && leaf->meta.dtype == tensor.meta.dtype) return view_leaf(base->second, tensor);
      }
    if (tensor.storage && written_.contains(tensor.storage) && seen_[tensor.storage].size() > 1) return view_leaf(memory_leaf(tensor), tensor);
    return leaf(tensor);
  }

  int leaf(const TraceTensor& tensor) {
    Leaf leaf;
    leaf.meta = tensor.meta;
    leaf.is_wrapped_number = tensor.is_wrapped_number;
    for (const int component : tensor.components) leaf.components.push_back(use(component));
    leaf.id = next_++;
    const std::string kind = tensor.device.substr(0, tensor.device.find(':'));
    if ((kind == "cpu" || kind == "meta") && out_.program.device != kind) leaf.device = kind;
    if (leaf.components.empty()) {
      if (const auto* data = data_of(tensor)) {
        leaf.fill = ValuesFill{std::make_shared<const std::vector<std::byte>>(*data)};
      } else {
        out_.unknown.push_back(leaf.id);
        if (is_floating(leaf.meta.dtype)) leaf.fill = RandomFill{42};
      }
    }
    current_[key_of(tensor)] = leaf.id;
    // Leaves of one memory stay apart unless the program writes to it.
    if (tensor.storage && written_.contains(tensor.storage)) in_memory_.emplace(tensor.storage, leaf.id);
    out_.program.leaves.push_back(std::move(leaf));
    return next_ - 1;
  }

  /// A flat leaf that covers everything the program looks at in this memory.
  int memory_leaf(const TraceTensor& tensor) {
    int64_t end = 0;
    for (const ViewKey& key : seen_[tensor.storage]) {
      int64_t last = std::get<2>(key);
      const auto& sizes = std::get<4>(key);
      const auto& strides = std::get<5>(key);
      // A trace that was edited may say anything; what no memory holds is refused when the leaf is made.
      bool is_possible = sizes.size() == strides.size();
      for (std::size_t i = 0; is_possible && i < sizes.size(); ++i) {
        int64_t reach = 0;
        is_possible = !__builtin_mul_overflow(std::max<int64_t>(sizes[i] - 1, 0), strides[i], &reach) && !__builtin_add_overflow(last, reach, &last);
      }
      end = std::max(end, is_possible && last < kMostElements ? last + 1 : kMostElements);
    }
    Leaf leaf;
    leaf.id = next_++;
    leaf.meta = {tensor.meta.dtype, {end}, {1}, "strided"};
    if (is_floating(leaf.meta.dtype)) leaf.fill = RandomFill{42};
    out_.unknown.push_back(leaf.id);
    in_memory_[tensor.storage] = leaf.id;
    out_.program.leaves.push_back(std::move(leaf));
    return next_ - 1;
  }

  int view_leaf(int base, const TraceTensor& tensor) {
    Leaf leaf;
    leaf.id = next_++;
    leaf.meta = tensor.meta;
    leaf.view = ViewOf{base, tensor.storage_offset};
    current_[key_of(tensor)] = leaf.id;
    out_.program.leaves.push_back(std::move(leaf));
    return next_ - 1;
  }

  int strided_view_of(int base, const TraceTensor& tensor) {
    Call call;
    call.op = "aten::as_strided";
    Value::List sizes(tensor.meta.sizes.begin(), tensor.meta.sizes.end());
    Value::List strides(tensor.meta.strides.begin(), tensor.meta.strides.end());
    call.args = {{"self", TensorRef{base}}, {"size", std::move(sizes)}, {"stride", std::move(strides)}, {"storage_offset", tensor.storage_offset}};
    call.results = {next_++};
    out_.result_metas[call.results[0]] = tensor.meta;
    current_[key_of(tensor)] = call.results[0];
    out_.program.calls.push_back(std::move(call));
    return next_ - 1;
  }

  void add_results(const Value& result, Call& call) {
    if (const auto* ref = result.get_if<TensorRef>()) {
      const TraceTensor& tensor = trace_.tensors[static_cast<std::size_t>(ref->id)];
      const int id = next_++;
      call.results.push_back(id);
      out_.result_metas[id] = tensor.meta;
      current_[key_of(tensor)] = id;
      // The result of an in-place call or a view lives in memory that the program has already.
      if (tensor.storage && in_memory_.emplace(tensor.storage, id).second) made_by_call_.insert(id);
    } else if (const auto* list = result.get_if<Value::List>()) {
      for (const Value& item : *list) add_results(item, call);
    }
  }

  /// Captured elements: of this mention, else of any mention of the same view that was captured (the recorder writes a value once).
  const std::vector<std::byte>* data_of(const TraceTensor& tensor) {
    if (tensor.data) return &*tensor.data;
    if (!indexed_) {
      indexed_ = true;
      for (const TraceViolation& violation : trace_.violations)
        for (const Value& arg : violation.args)
          for (const int id : tensors_in(arg)) {
            const TraceTensor& candidate = trace_.tensors[static_cast<std::size_t>(id)];
            if (candidate.data) captured_.emplace(key_of(candidate), &*candidate.data);
          }
    }
    const auto found = captured_.find(key_of(tensor));
    return found == captured_.end() ? nullptr : found->second;
  }

  const Trace& trace_;
  TraceProgram out_;
  int next_ = 0;
  bool seeded_ = false;
  bool indexed_ = false;
  std::map<ViewKey, int> current_;                       ///< the program's tensor for each view of each memory
  std::map<uint64_t, int> in_memory_;                    ///< by storage: a program tensor that lives in it
  std::set<int> made_by_call_;
  std::set<uint64_t> written_;                           ///< storages that the program's calls write to
  std::map<uint64_t, std::set<ViewKey>> seen_;           ///< by storage: the views that the program uses as arguments
  std::map<ViewKey, const std::vector<std::byte>*> captured_;
};

/// "aten::gather.out" → the overload of aten::gather whose arguments are those without the out ones; null if there is none.
const Schema* functional_overload(const Schema& schema, const OpCatalog& ops) {
  std::vector<const SchemaArgument*> wanted;
  for (const SchemaArgument& argument : schema.arguments)
    if (!(argument.mutated && argument.keyword_only)) wanted.push_back(&argument);
  if (wanted.size() == schema.arguments.size()) return nullptr;
  const std::string base(without_overload(schema.name));
  std::string overload = schema.name.size() > base.size() ? schema.name.substr(base.size() + 1) : "";
  if (overload == "out" || overload == "output") overload.clear();
  if (overload.ends_with("_out")) overload.resize(overload.size() - 4);
  const Schema* candidate = ops.find(overload.empty() ? base : base + "." + overload);
  if (!candidate || candidate->arguments.size() != wanted.size()) return nullptr;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (candidate->arguments[i].name != wanted[i]->name || candidate->arguments[i].type != wanted[i]->type) return nullptr;
  return candidate;
}

}  // namespace

Result<TraceProgram> program_of_calls(const Trace& trace, std::span<const int> calls, const std::string& device) {
  return Builder(trace, device).calls(calls);
}

Result<TraceProgram> program_of_violation(const Trace& trace, const TraceViolation& violation, const OpCatalog& ops, const std::string& device) {
  if (violation.op_index < 0) return Error{fmt::format("the trace holds no arguments of {}", violation.op)};
  const Schema& recorded = trace.ops[static_cast<std::size_t>(violation.op_index)];
  if (violation.args.size() != recorded.arguments.size()) return Error{fmt::format("the trace holds {} of {} arguments of {}", violation.args.size(), recorded.arguments.size(), violation.op)};
  const Schema* functional = functional_overload(recorded, ops);
  return Builder(trace, device).violation(violation, recorded, functional ? *functional : recorded);
}

}  // namespace minrepro
