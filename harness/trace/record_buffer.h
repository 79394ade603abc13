#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "harness/trace/format.h"

namespace minrepro {

/// Bytes of one record while it is put together. Grows, is never given back, and writes without a capacity check for each byte: it is on the
/// path of every recorded call.
class RecordBuffer {
 public:
  RecordBuffer() = default;
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;
  ~RecordBuffer() { std::free(begin_); }

  void start(trace_format::RecordType type) {
    end_ = begin_;
    byte(static_cast<uint8_t>(type));
  }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(begin_), size()}; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

  void byte(uint8_t value) {
    reserve(1);
    *end_++ = value;
  }
  void varint(uint64_t value) {
    reserve(10);
    while (value >= 0x80) {
      *end_++ = static_cast<uint8_t>(value) | 0x80;
      value >>= 7;
    }
    *end_++ = static_cast<uint8_t>(value);
  }
  void signed_varint(int64_t value) { varint(trace_format::zigzag(value)); }
  void raw(const void* data, std::size_t size) {
    if (size == 0) return;
    reserve(size);
    std::memcpy(end_, data, size);
    end_ += size;
  }
  void string(std::string_view text) {
    varint(text.size());
    raw(text.data(), text.size());
  }
  void tag(trace_format::ValueTag tag) { byte(static_cast<uint8_t>(tag)); }
  void number(double value) { raw(&value, sizeof value); }

  /// Position of the next byte, to patch it later.
  std::size_t mark() const { return size(); }
  uint8_t& at(std::size_t position) { return begin_[position]; }

 private:
  void reserve(std::size_t more) {
    if (static_cast<std::size_t>(limit_ - end_) < more) [[unlikely]] grow(more);
  }
  void grow(std::size_t more) {
    const std::size_t used = size();
    const std::size_t wanted = (used + more) * 2 + 1024;
    auto* moved = static_cast<uint8_t*>(std::realloc(begin_, wanted));
    if (moved == nullptr) throw std::bad_alloc();
    begin_ = moved;
    end_ = moved + used;
    limit_ = moved + wanted;
  }

  uint8_t* begin_ = nullptr;
  uint8_t* end_ = nullptr;
  uint8_t* limit_ = nullptr;
};

}  // namespace minrepro
