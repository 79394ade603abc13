#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

/// The binary form of a trace, shared by its writer (in the recorded process) and its reader.
///
/// A trace folder holds, for each recorded process, `calls.PID` and (if anything was captured) `data.PID`, and one `run.json` that
/// `minrepro record` writes when the command has ended.
///
/// calls.PID: a FileHeader, then records, each at a multiple of 4:
///     u32 length      bytes of type and payload; stored last, so that a record is there completely or not at all; 0 ends the file
///     u8  type        RecordType
///     payload         varints (LEB128; signed ones zigzag), strings (varint length, bytes), values (a ValueTag each)
/// Operators and sources are numbered in the order of their records, calls in the order in which they started.
/// All numbers are little-endian, as are the machines that LibTorch runs on.
namespace minrepro::trace_format {

inline constexpr std::string_view kMagic = "minrepro";
inline constexpr uint32_t kVersion = 2;
inline constexpr char kCallsPrefix[] = "calls.";
inline constexpr char kDataPrefix[] = "data.";
inline constexpr char kRunFile[] = "run.json";

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_size;
  int64_t pid;
  int64_t started_ns;                     ///< CLOCK_REALTIME
};
static_assert(sizeof(FileHeader) == 32);

enum class RecordType : uint8_t {
  kInfo = 1,                              ///< string torch version, u8 simulated
  kOp = 2,                                ///< string schema text
  kSource = 3,                            ///< string file, varint line, string function, string text
  kCall = 4,                              ///< varint op, varint thread, varint source + 1, u8 flags (CallFlag), [varint seed], [data: generator state], varint n, n values
  kFinished = 5,                          ///< varint how many calls back (0: the newest), varint n, n values
  kThrew = 6,                             ///< varint how many calls back, string exception type, string message
  kViolation = 7,                         ///< varint how many calls back, varint op, string rule, string text, string file, string expression, varint n, n values
  kException = 8,                         ///< string type, string message, string file, varint line, string function, string text
  kForgotten = 9,                         ///< varint offset: captured data before it is gone from data.PID
};

enum CallFlag : uint8_t { kHasSeed = 1, kHasGeneratorState = 2 };

enum class ValueTag : uint8_t {
  kNone = 0,
  kTensor = 1,                            ///< u8 TensorFlag…, see below
  kInt = 2,                               ///< signed varint
  kDouble = 3,                            ///< 8 bytes
  kComplex = 4,                           ///< 16 bytes
  kTrue = 5,
  kFalse = 6,
  kString = 7,
  kDevice = 8,                            ///< u8 c10::DeviceType, varint index + 1
  kGenerator = 9,                         ///< varint seed
  kOpaque = 10,                           ///< string type name
  kList = 11,                             ///< varint n, n values
  kInts = 12,                             ///< varint n, n signed varints
};

/// A tensor: u8 flags, u8 dtype, u8 device type, varint device index + 1, varint n, n varint sizes,
/// [n signed varint strides unless contiguous], [varint storage], varint tensor, [varint offset], [u8 layout, varint m, m tensors], [data].
/// Data: varint 2 * bytes + 1, the bytes; or varint 2 * bytes, varint offset in data.PID. Fewer bytes than the shape asks for: see narrow.h.
enum TensorFlag : uint8_t {
  kRequiresGrad = 1,
  kIsView = 2,
  kIsWrappedNumber = 4,
  kHasOffset = 8,
  kIsContiguous = 16,
  kHasData = 32,
  kIsNotStrided = 64,
  kHasStorage = 128,
};

inline constexpr int kMaxListDepth = 8;

inline uint64_t zigzag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }
inline int64_t unzigzag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

}  // namespace minrepro::trace_format
