#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/result.h"

/// What travels between the oracle and its worker: frames, each a length (unsigned, 32 bits, little endian) and that many bytes.
///
///     worker → oracle, once      {"ready": true, "torch": "2.11.0"}
///     oracle → worker            {"run": N, "seconds": s, "memory_bytes": b, "tensor_room": r, "contained": true, "jobs": j}, then N frames, each a program's text form
///     worker → oracle, N times   {"index": i, "outcome": {…}}, as they end
///     oracle → worker            {"capture": CALL, "seconds": s, "memory_bytes": b}, then one frame with the program
///     worker → oracle            {"tensors": [{"id", "dtype", "shape", "strides", "device", "wrapped"}, …]}, then one frame of data for each; or {"error": "…"}
namespace minrepro {

/// Longest frame that either side takes: the data of one captured tensor, and some text.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 30;
/// Largest tensor that a capture sends.
inline constexpr int64_t kMaxCapturedBytes = int64_t{256} << 20;

/// Writes one frame, however often the pipe is full. Never raises SIGPIPE (and leaves the process's handlers alone). Errors: the reader is gone.
Status write_frame(int fd, std::string_view bytes);

/// Reads one frame; nullopt at a clean end (no byte of a next frame). `patience_seconds` is the time to wait for each next byte; negative
/// waits for ever. Errors: cut off, too long, nothing came in time ("no answer within …").
Result<std::optional<std::string>> read_frame(int fd, double patience_seconds = -1);

}  // namespace minrepro
