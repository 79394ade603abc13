#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace minrepro {

/// No file of minrepro's is larger, in bytes.
inline constexpr int64_t kLargestFile = int64_t{1} << 30;

/// The whole of a plain file. Errors: "cannot read 'PATH': REASON", also if it is a pipe or a device (which could keep us waiting for ever) or larger than kLargestFile.
Result<std::string> read_file(const std::string& path);

/// What is left to read of a descriptor, `most` bytes of it at most. Errors: "cannot read 'PATH': REASON".
Result<std::string> read_descriptor(int fd, std::size_t most, const std::string& path);

/// Writes beside, flushes to disk, then renames: readers see the old file or the whole new one. Errors: "cannot write 'PATH': REASON".
Status write_file(const std::string& path, std::string_view content);

/// Creates the folder and its parents. Errors: "cannot create 'PATH': REASON".
Status make_folder(const std::string& path);

/// A new empty folder under $TMPDIR (or /tmp), removed with everything in it when the object goes.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create(std::string_view prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Folder of the running executable.
std::string executable_folder();

}  // namespace minrepro
