#pragma once

#include <gtest/gtest.h>

#include "harness/trace/trace.h"

namespace minrepro {

/// Puts a trace together by hand. Tensors are float32[4] unless said otherwise; each call of `tensor` is a mention of its own, as in a recorded trace.
class TraceBuilder {
 public:
  int op(const char* schema) {
    Result<Schema> parsed = parse_schema(schema);
    EXPECT_TRUE(parsed.ok()) << schema;
    trace.ops.push_back(parsed.ok() ? *parsed : Schema{});
    return static_cast<int>(trace.ops.size()) - 1;
  }

  /// A mention of the tensor that looks at `storage` from `offset` on.
  Value tensor(uint64_t storage, int64_t offset = 0, std::vector<int64_t> sizes = {4}, DType dtype = DType::kFloat32) {
    TraceTensor t;
    t.meta = {dtype, sizes, contiguous_strides(sizes), "strided"};
    t.device = "sim";
    t.storage = storage;
    t.tensor = storage * 100 + static_cast<uint64_t>(offset);
    t.storage_offset = offset;
    trace.tensors.push_back(std::move(t));
    return TensorRef{static_cast<int>(trace.tensors.size()) - 1};
  }

  Value integers(uint64_t storage, const std::vector<int64_t>& values) {
    const Value mention = tensor(storage, 0, {static_cast<int64_t>(values.size())}, DType::kInt64);
    const auto* begin = reinterpret_cast<const std::byte*>(values.data());
    trace.tensors.back().data = std::vector<std::byte>(begin, begin + values.size() * sizeof(int64_t));
    return mention;
  }

  /// Returns the call's position.
  int call(int op, std::vector<Value> args, std::vector<Value> results, CallState state = CallState::kFinished) {
    TraceCall c;
    c.op = op;
    c.args = std::move(args);
    c.results = std::move(results);
    c.state = state;
    trace.calls.push_back(std::move(c));
    return static_cast<int>(trace.calls.size()) - 1;
  }

  Trace trace;
};

}  // namespace minrepro
