#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"

namespace minrepro {

/// The files of one recorded process.
struct ProcessFiles {
  std::string calls;                      ///< path of calls.PID
  std::string data;                       ///< path of data.PID; it need not exist
};

/// By name. Errors: the folder cannot be read, or a file of the trace is a link or no plain file.
Result<std::vector<ProcessFiles>> process_files(const std::string& folder);

/// Content of a plain file of the trace, up to the first hole in it (zeros, which no text has and which end the records); nullopt if it does not exist.
/// A link is refused: it could lead out of the folder.
Result<std::optional<std::string>> read_trace_file(const std::string& path);

/// A plain file that is read where it is used: one with holes takes no memory for them. Nobody may cut it while it is read.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(const char* begin, std::size_t size, uint64_t on_disk) : begin_(begin), size_(size), on_disk_(on_disk) {}
  MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view content() const { return {begin_, size_}; }
  uint64_t bytes_on_disk() const { return on_disk_; }

 private:
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
  uint64_t on_disk_ = 0;
};

/// Likewise for a large file; empty if it does not exist.
Result<MappedFile> map_trace_file(const std::string& path);

/// Makes `folder` ready for a new trace: creates it, or empties it of the files of an earlier trace (and of nothing else).
/// Errors: it holds something and is no trace, or cannot be written to.
Status prepare_trace_folder(const std::string& folder);

}  // namespace minrepro
