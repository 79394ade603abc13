#include "harness/base/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace minrepro {
namespace fs = std::filesystem;

Result<std::string> read_descriptor(int fd, std::size_t most, const std::string& path) {
  std::string content;
  char buffer[1 << 16];
  while (content.size() < most) {
    const ssize_t n = read(fd, buffer, std::min(sizeof buffer, most - content.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{fmt::format("cannot read '{}': {}", path, std::strerror(errno))};
    if (n == 0) break;
    content.append(buffer, static_cast<std::size_t>(n));
  }
  return content;
}

Result<std::string> read_file(const std::string& path) {
  // O_NONBLOCK: opening a pipe waits for its writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Error{fmt::format("cannot read '{}': {}", path, std::strerror(errno))};
  struct stat info {};
  const char* reason = fstat(fd, &info) != 0         ? std::strerror(errno)
                       : S_ISDIR(info.st_mode)       ? "it is a folder"
                       : !S_ISREG(info.st_mode)      ? "it is no plain file"
                       : info.st_size > kLargestFile ? "it is larger than 1 GiB"
                                                     : nullptr;
  if (reason != nullptr) {
    close(fd);
    return Error{fmt::format("cannot read '{}': {}", path, reason)};
  }
  Result<std::string> content = read_descriptor(fd, kLargestFile, path);
  close(fd);
  return content;
}

Status write_file(const std::string& path, std::string_view content) {
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  const auto fail = [&](int code) {
    unlink(beside.c_str());
    return Error{fmt::format("cannot write '{}': {}", path, std::strerror(code))};
  };
  const int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fail(errno);
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int code = errno;
      close(fd);
      return fail(code);
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  if (fsync(fd) != 0 && errno != EINVAL) {
    const int code = errno;
    close(fd);
    return fail(code);
  }
  if (close(fd) != 0) return fail(errno);
  if (rename(beside.c_str(), path.c_str()) != 0) return fail(errno);
  return {};
}

Status make_folder(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return Error{fmt::format("cannot create '{}': {}", path, code.message())};
  return {};
}

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix) {
  const char* base = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/{}.XXXXXX", base && *base ? base : "/tmp", prefix);
  if (!mkdtemp(path.data())) return Error{fmt::format("cannot create a folder '{}': {}", path, std::strerror(errno))};
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string executable_folder() {
  std::error_code code;
  const fs::path path = fs::read_symlink("/proc/self/exe", code);
  return code ? "." : path.parent_path().string();
}

}  // namespace minrepro
