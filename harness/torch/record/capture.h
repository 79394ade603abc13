#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/program/dtype.h"
#include "harness/trace/record_buffer.h"
#include "harness/trace/trace_writer.h"

namespace minrepro {

/// How much data is kept: `minrepro record --data`.
enum class DataMode { kNone, kIndex, kAll };

/// Why a tensor is looked at; decides what is kept of it.
enum class Interest {
  kNothing,
  kOrdinary,                              ///< an argument of a call
  kUnknownContent,                        ///< an argument that no recorded call can make again
  kEvidence,                              ///< an argument that a violated rule reads
};

/// Writes elements of tensors into the trace. Equal contents of one type are written once. Not for several threads at once.
class Capture {
 public:
  Capture(DataMode mode, DataFile& file) : mode_(mode), file_(file) {}

  /// Appends the data part of a tensor to `out` if it is to be kept and can be read; returns whether it was.
  /// Reads host memory only, except for evidence and in mode kAll, which copy from the device (that waits for it).
  bool write(const at::Tensor& tensor, Interest interest, RecordBuffer& out);

  /// Captured data before this offset of the file was dropped; 0: none. The recorder says so in the trace once.
  uint64_t forgotten() const { return forgotten_; }
  /// Called when the trace says so.
  void drop_forgotten();

  /// Why no more data is kept (a full disk), to be told once; empty else.
  std::string take_complaint() { return std::exchange(complaint_, {}); }
  bool has_complaint() const { return !complaint_.empty(); }

 private:
  struct Blob {
    uint64_t check = 0;                   ///< second half of the hash
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t count = 0;
    DType dtype = DType::kUInt8;
  };

  uint64_t limit_for(const at::Tensor& tensor, Interest interest) const;
  bool write_bytes(std::string_view bytes, DType dtype, uint64_t count, RecordBuffer& out);

  DataMode mode_;
  DataFile& file_;
  std::unordered_map<uint64_t, Blob> blobs_;
  std::vector<char> gathered_;
  std::vector<char> narrowed_;
  uint64_t forgotten_ = 0;
  bool is_full_ = false;
  std::string complaint_;
};

}  // namespace minrepro
