#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/trace/record_buffer.h"
#include "harness/trace/trace.h"
#include "harness/trace/trace_writer.h"

namespace minrepro {

/// Writes the records of one process into a trace folder of its own, as the recorder does.
class HandMadeTrace {
 public:
  using Type = trace_format::RecordType;
  using Tag = trace_format::ValueTag;

  HandMadeTrace() : folder_(std::move(*TemporaryFolder::create("minrepro-trace"))), calls_(std::move(*CallsFile::create(folder_.path(), 123))), data_(calls_->path()) {
    out.start(Type::kInfo);
    out.string("2.11.0");
    out.byte(1);
    append();
  }

  void append() {
    const Status status = calls_->append(out.bytes());
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  int op(const std::string& schema) {
    out.start(Type::kOp);
    out.string(schema);
    append();
    return ops_++;
  }
  int source(const std::string& file, uint64_t line, const std::string& text = "") {
    out.start(Type::kSource);
    out.string(file);
    out.varint(line);
    out.string("main");
    out.string(text);
    append();
    return sources_++;
  }
  /// The record's head; the arguments and `append` follow.
  void start_call(int op, uint64_t arguments, int source = -1, int thread = 0) {
    out.start(Type::kCall);
    out.varint(static_cast<uint64_t>(op));
    out.varint(static_cast<uint64_t>(thread));
    out.varint(static_cast<uint64_t>(source + 1));
    out.byte(0);
    out.varint(arguments);
  }
  void start_finished(uint64_t back, uint64_t results) {
    out.start(Type::kFinished);
    out.varint(back);
    out.varint(results);
  }
  void threw(uint64_t back, const std::string& type, const std::string& message) {
    out.start(Type::kThrew);
    out.varint(back);
    out.string(type);
    out.string(message);
    append();
  }
  void exception(const std::string& type, const std::string& message, const std::string& file, uint64_t line) {
    out.start(Type::kException);
    out.string(type);
    out.string(message);
    out.string(file);
    out.varint(line);
    out.string("main");
    out.string("");
    append();
  }
  /// float32 without data, or int64 with `data` inline.
  void tensor(uint64_t storage, const std::vector<uint64_t>& sizes, const std::vector<int64_t>& data = {}) {
    out.tag(Tag::kTensor);
    out.byte(trace_format::kIsContiguous | trace_format::kHasStorage | (data.empty() ? 0 : trace_format::kHasData));
    out.byte(static_cast<uint8_t>(data.empty() ? DType::kFloat32 : DType::kInt64));
    out.byte(20);
    out.varint(1);
    out.varint(sizes.size());
    for (const uint64_t size : sizes) out.varint(size);
    out.varint(storage);
    out.varint(storage + 1000);
    if (data.empty()) return;
    out.varint(data.size() * sizeof(int64_t) * 2 + 1);
    out.raw(data.data(), data.size() * sizeof(int64_t));
  }
  void integer(int64_t value) {
    out.tag(Tag::kInt);
    out.signed_varint(value);
  }

  const std::string& folder() const { return folder_.path(); }
  const std::string& calls_path() const { return calls_->path(); }
  CallsFile& calls() { return *calls_; }
  DataFile& data() { return data_; }
  Result<Trace> read() const { return read_trace(folder()); }

  RecordBuffer out;

 private:
  TemporaryFolder folder_;
  std::unique_ptr<CallsFile> calls_;
  DataFile data_;
  int ops_ = 0;
  int sources_ = 0;
};

inline constexpr char kNeg[] = "aten::neg(Tensor self) -> Tensor";
inline constexpr char kGather[] = "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor";
inline constexpr char kEmpty[] =
    "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
    "MemoryFormat? memory_format=None) -> Tensor";

}  // namespace minrepro
