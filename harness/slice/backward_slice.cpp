#include "harness/slice/backward_slice.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

namespace minrepro {
namespace {

/// What identifies memory for dependences: the storage, or the tensor itself where it has none (sparse).
uint64_t memory_of(const TraceTensor& tensor) { return tensor.storage ? tensor.storage << 1 : (tensor.tensor << 1) | 1; }

/// The view itself: storage and how it is looked at, hashed. A collision only makes the slice larger.
uint64_t view_of(const TraceTensor& tensor) {
  uint64_t hash = memory_of(tensor) * 0x9E3779B97F4A7C15u;
  const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001B3u + (hash >> 29); };
  mix(static_cast<uint64_t>(tensor.storage_offset));
  mix(static_cast<uint64_t>(tensor.meta.dtype));
  for (const int64_t size : tensor.meta.sizes) mix(static_cast<uint64_t>(size));
  for (const int64_t stride : tensor.meta.strides) mix(static_cast<uint64_t>(stride));
  return hash;
}

template <typename Visit>
void for_each_tensor_of(const Trace& trace, const Value& value, Visit&& visit) {
  if (const auto* ref = value.get_if<TensorRef>()) {
    const TraceTensor& tensor = trace.tensors[static_cast<std::size_t>(ref->id)];
    visit(tensor);
    for (const int component : tensor.components) visit(trace.tensors[static_cast<std::size_t>(component)]);
  }
  if (const auto* list = value.get_if<Value::List>())
    for (const Value& item : *list) for_each_tensor_of(trace, item, visit);
}

class Slicer {
 public:
  explicit Slicer(const Trace& trace) : trace_(trace) {}

  std::vector<int> run(int call) {
    std::vector<int> slice{call};
    need_arguments_of(call);
    for (int i = call - 1; i >= 0; --i) {
      if (!contributes(i)) continue;
      slice.push_back(i);
      need_arguments_of(i);
    }
    std::reverse(slice.begin(), slice.end());
    return slice;
  }

 private:
  void need_arguments_of(int index) {
    const TraceCall& call = trace_.calls[static_cast<std::size_t>(index)];
    for (const Value& arg : call.args)
      for_each_tensor_of(trace_, arg, [&](const TraceTensor& tensor) {
        memory_.insert(memory_of(tensor));
        views_.insert(view_of(tensor));
      });
    random_ = random_ || call.seed_hint.has_value();
  }

  bool contributes(int index) const {
    const TraceCall& call = trace_.calls[static_cast<std::size_t>(index)];
    if (call.state != CallState::kFinished) return false;
    if (random_ && call.seed_hint) return true;
    const Schema& schema = trace_.ops[static_cast<std::size_t>(call.op)];
    bool hit = false;
    std::unordered_set<uint64_t> read;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const bool writes = i < schema.arguments.size() && schema.arguments[i].mutated;
      for_each_tensor_of(trace_, call.args[i], [&](const TraceTensor& tensor) {
        read.insert(memory_of(tensor));
        hit = hit || (writes && memory_.contains(memory_of(tensor)));
      });
    }
    for (const Value& result : call.results)
      for_each_tensor_of(trace_, result, [&](const TraceTensor& tensor) {
        // A result in memory of its own was made here; in an argument's memory it is a view, and wanted only if that very view is used later.
        hit = hit || (read.contains(memory_of(tensor)) ? views_.contains(view_of(tensor)) : memory_.contains(memory_of(tensor)));
      });
    return hit;
  }

  const Trace& trace_;
  std::unordered_set<uint64_t> memory_;
  std::unordered_set<uint64_t> views_;
  bool random_ = false;
};

}  // namespace

std::vector<int> backward_slice(const Trace& trace, int call) { return Slicer(trace).run(call); }

}  // namespace minrepro
