#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/trace/format.h"

namespace minrepro {

/// Reads the primitives of a record. The first thing that does not fit is kept as the error, and from then on everything reads as zero and
/// empty: callers check `failed()` where it matters, and in every loop.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::size_t file_offset) : bytes_(bytes), file_offset_(file_offset) {}

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  std::size_t left() const { return failed() ? 0 : bytes_.size() - at_; }
  /// Position in the file.
  std::size_t position() const { return file_offset_ + at_; }

  void fail(std::string what) {
    if (failed()) return;
    error_ = std::move(what);
    failed_at_ = position();
  }
  std::size_t failed_at() const { return failed_at_; }

  uint8_t byte() {
    if (!has(1)) return 0;
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t b = byte();
      if (failed()) return 0;
      const uint64_t part = b & 0x7F;
      if (shift == 63 && part > 1) break;
      value |= part << shift;
      if ((b & 0x80) == 0) return value;
    }
    fail("a number is longer than 64 bits");
    return 0;
  }
  int64_t signed_varint() { return trace_format::unzigzag(varint()); }
  /// A number in [0, limit).
  uint64_t varint_below(uint64_t limit, const char* what) {
    const uint64_t value = varint();
    if (!failed() && value >= limit) fail(std::string(what) + " " + std::to_string(value) + " of " + std::to_string(limit));
    return failed() ? 0 : value;
  }
  /// How many items follow, each of which takes at least one byte: no count can ask for more memory than the file has bytes.
  std::size_t count(const char* what) {
    const uint64_t value = varint();
    if (!failed() && value > left()) fail(std::to_string(value) + " " + what + " in " + std::to_string(left()) + " bytes");
    return failed() ? 0 : static_cast<std::size_t>(value);
  }
  std::string_view string() {
    const std::size_t size = count("characters");
    if (!has(size)) return {};
    const std::string_view text = bytes_.substr(at_, size);
    at_ += size;
    return text;
  }
  double number() {
    double value = 0;
    if (!has(sizeof value)) return 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string_view raw(std::size_t size) {
    if (!has(size)) return {};
    const std::string_view bytes = bytes_.substr(at_, size);
    at_ += size;
    return bytes;
  }

 private:
  bool has(std::size_t size) {
    if (failed()) return false;
    if (bytes_.size() - at_ >= size) return true;
    fail("the record ends in the middle of a value");
    return false;
  }

  std::string_view bytes_;
  std::size_t file_offset_;
  std::size_t at_ = 0;
  std::size_t failed_at_ = 0;
  std::string error_;
};

}  // namespace minrepro
