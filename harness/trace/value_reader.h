#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/trace/byte_reader.h"
#include "harness/trace/trace.h"

namespace minrepro {

/// Reads values of records into a Trace: tensors are appended to Trace::tensors.
class ValueReader {
 public:
  /// `data` is the content of data.PID (may be empty, and have holes), which takes `on_disk` bytes there.
  ValueReader(Trace& trace, std::string_view data, uint64_t on_disk) : trace_(trace), data_(data), most_bytes_(kFreeBytes + 2 * kMostNarrowing * on_disk) {}

  /// One value for a schema type ("ScalarType?", "int[]"; empty when unknown). LibTorch passes dtypes, layouts and memory formats as integers:
  /// the type tells them apart.
  Value value(ByteReader& in, std::string_view type, int depth = 0);

  /// Captured bytes that stand on their own, without a shape.
  CapturedBytes blob(ByteReader& in);

  /// Captured data before `offset` is gone.
  void forget_before(uint64_t offset) { forgotten_ = std::max(forgotten_, offset); }

 private:
  Value list(ByteReader& in, std::string_view type, int depth, bool integers);
  int tensor(ByteReader& in, int depth);
  /// `meta` null: bytes without a shape.
  CapturedBytes data(ByteReader& in, const TensorMeta* meta);
  CapturedBytes widened(std::string_view stored, const TensorMeta* meta, int narrowing) const;

  static constexpr uint64_t kMostNarrowing = 8;
  static constexpr uint64_t kFreeBytes = uint64_t{64} << 20;

  Trace& trace_;
  std::string_view data_;
  uint64_t most_bytes_;                   ///< in memory, of what data.PID holds: a file can claim to be far larger than it is
  uint64_t forgotten_ = 0;
  struct Blob {
    CapturedBytes bytes;
    DType dtype = DType::kUInt8;
    int narrowing = 1;
  };
  uint64_t blob_bytes_ = 0;               ///< of data.PID
  uint64_t wide_bytes_ = 0;               ///< made of them
  std::unordered_map<uint64_t, Blob> blobs_;  ///< by offset in data.PID
};

/// "cpu", "cuda:1", "sim": `type` is a c10::DeviceType; index -1 is none.
std::string device_name(int type, int64_t index, bool is_tensor);

}  // namespace minrepro
