#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace minrepro {

/// A file that stays ours in a process that is not: the recorded program may close all descriptors, and the number then goes to a file of its own. Each use
/// looks whether the number still stands for our file, and opens it again if it does not.
class SteadyFile {
 public:
  SteadyFile() = default;
  SteadyFile(std::string path, int fd);

  bool is_open() const { return fd_ >= 0; }
  /// A descriptor, good until the program runs on. Errors: "cannot write 'PATH': REASON", if the file is gone.
  Result<int> descriptor();
  void close();

 private:
  bool is_ours(int fd) const;

  std::string path_;
  int fd_ = -1;
  uint64_t device_ = 0, inode_ = 0;
};

/// Appends records to `calls.PID` through a shared mapping: what was appended survives the death of the process, SIGKILL included, without a
/// system call for each record. Not for several threads at once.
class CallsFile {
 public:
  /// Creates FOLDER/calls.PID, or FOLDER/calls.PID.N if a program that this process ran before has left one there.
  /// Errors: "cannot write 'PATH': REASON".
  static Result<std::unique_ptr<CallsFile>> create(const std::string& folder, int64_t pid);
  ~CallsFile();
  CallsFile(const CallsFile&) = delete;
  CallsFile& operator=(const CallsFile&) = delete;

  /// Appends one record; `record` begins with its type. Errors: no room on the disk, or a limit on the file's size; the file stays valid.
  Status append(std::string_view record);

  /// Cuts the file to what was written and unmaps it. Called by the destructor too.
  void close();
  /// Lets go of the file without touching it: for the child of a fork, whose parent goes on writing.
  void abandon();

  uint64_t size() const { return used_; }
  const std::string& path() const { return path_; }

 private:
  CallsFile(std::string path, int fd) : path_(std::move(path)), file_(path_, fd) {}
  Status grow(std::size_t wanted);

  std::string path_;
  SteadyFile file_;
  std::byte* map_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t used_ = 0;
};

/// Appends captured data to `data.PID`. The file is made when there is something to put into it.
class DataFile {
 public:
  /// `calls_path` is CallsFile::path(): the two files are named alike.
  explicit DataFile(const std::string& calls_path);
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  /// Offset at which `size` bytes were written. Errors as for CallsFile.
  Result<uint64_t> append(const void* data, std::size_t size);

  /// Gives the disk space of everything before `offset` back. The caller records that it is gone. Errors: the file system cannot.
  Status forget_before(uint64_t offset);

  uint64_t size() const { return size_; }

 private:
  std::string path_;
  SteadyFile file_;
  uint64_t size_ = 0;
};

}  // namespace minrepro
