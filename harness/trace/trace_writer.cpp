#include "harness/trace/trace_writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "harness/trace/format.h"

namespace minrepro {
namespace {

constexpr std::size_t kFirstChunk = std::size_t{1} << 20;
constexpr int kMostExecs = 1000;           // programs that one process runs one after the other by exec
constexpr std::size_t kLargestChunk = std::size_t{32} << 20;

Error cannot_write(const std::string& path, int code) { return Error{fmt::format("cannot write '{}': {}", path, std::strerror(code))}; }

/// Past RLIMIT_FSIZE the kernel sends SIGXFSZ, which would end the recorded program.
bool is_within_limit(uint64_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

std::size_t aligned(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

/// posix_fallocate, going on after a signal of the recorded program.
int allocate(int fd, std::size_t from, std::size_t size) {
  for (;;) {
    const int code = posix_fallocate(fd, static_cast<off_t>(from), static_cast<off_t>(size));
    if (code != EINTR) return code;
  }
}

}  // namespace

SteadyFile::SteadyFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {
  struct stat info {};
  if (fstat(fd_, &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

bool SteadyFile::is_ours(int fd) const {
  struct stat info {};
  return fstat(fd, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

Result<int> SteadyFile::descriptor() {
  if (is_ours(fd_)) return fd_;
  const int fd = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return cannot_write(path_, errno);
  if (!is_ours(fd)) {
    ::close(fd);
    return cannot_write(path_, ESTALE);
  }
  return fd_ = fd;                        // the old number is the program's now
}

void SteadyFile::close() {
  if (fd_ >= 0 && is_ours(fd_)) ::close(fd_);
  fd_ = -1;
}

Result<std::unique_ptr<CallsFile>> CallsFile::create(const std::string& folder, int64_t pid) {
  const std::string first = fmt::format("{}/{}{}", folder, trace_format::kCallsPrefix, pid);
  std::string path = first;
  int fd = -1;
  for (int n = 2; n < kMostExecs; ++n) {
    // O_EXCL: never through a link, never into a file that is there already.
    fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd >= 0 || errno != EEXIST) break;
    path = fmt::format("{}.{}", first, n);
  }
  if (fd < 0) return cannot_write(path, errno);
  std::unique_ptr<CallsFile> file(new CallsFile(std::move(path), fd));
  if (Status status = file->grow(sizeof(trace_format::FileHeader)); !status) return status.error();
  trace_format::FileHeader header{};
  std::memcpy(header.magic, trace_format::kMagic.data(), sizeof header.magic);
  header.version = trace_format::kVersion;
  header.header_size = sizeof header;
  header.pid = pid;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  header.started_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  std::memcpy(file->map_, &header, sizeof header);
  file->used_ = sizeof header;
  return file;
}

CallsFile::~CallsFile() { close(); }

Status CallsFile::append(std::string_view record) {
  if (map_ == nullptr) return Error{fmt::format("cannot write '{}': it is closed", path_)};
  const std::size_t end = used_ + 4 + aligned(record.size());
  // Four more bytes stay zero behind the last record: they end the file for a reader.
  if (end + 4 > mapped_)
    if (Status status = grow(end + 4); !status) return status;
  std::byte* place = map_ + used_;
  std::memcpy(place + 4, record.data(), record.size());
  std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(place)).store(static_cast<uint32_t>(record.size()), std::memory_order_release);
  used_ = end;
  return {};
}

Status CallsFile::grow(std::size_t wanted) {
  const std::size_t chunk = std::clamp(mapped_, kFirstChunk, kLargestChunk);
  const std::size_t size = mapped_ + std::max(chunk, (wanted - mapped_ + kFirstChunk - 1) / kFirstChunk * kFirstChunk);
  if (!is_within_limit(size)) return cannot_write(path_, EFBIG);
  // Blocks are reserved before they are mapped: a full disk is an error here, and not a SIGBUS later.
  const Result<int> fd = file_.descriptor();
  if (!fd) return fd.error();
  if (const int code = allocate(*fd, mapped_, size - mapped_); code != 0) return cannot_write(path_, code);
  void* moved = map_ == nullptr ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0) : mremap(map_, mapped_, size, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return cannot_write(path_, errno);
  map_ = static_cast<std::byte*>(moved);
  mapped_ = size;
  return {};
}

void CallsFile::close() {
  if (map_ != nullptr) munmap(map_, mapped_);
  map_ = nullptr;
  if (!file_.is_open()) return;
  // A failure to cut leaves zeros behind the last record, which mean the same.
  if (const Result<int> fd = file_.descriptor(); fd && ftruncate(*fd, static_cast<off_t>(used_)) != 0) errno = 0;
  file_.close();
}

void CallsFile::abandon() {
  if (map_ != nullptr) munmap(map_, mapped_);
  map_ = nullptr;
  file_.close();
}

DataFile::DataFile(const std::string& calls_path) {
  const std::size_t name = calls_path.rfind('/') + 1;
  path_ = calls_path.substr(0, name) + trace_format::kDataPrefix + calls_path.substr(name + sizeof trace_format::kCallsPrefix - 1);
}

DataFile::~DataFile() { file_.close(); }

Result<uint64_t> DataFile::append(const void* data, std::size_t size) {
  if (!file_.is_open()) {
    const int made = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (made < 0) return cannot_write(path_, errno);
    file_ = SteadyFile(path_, made);
  }
  const Result<int> fd = file_.descriptor();
  if (!fd) return fd.error();
  if (!is_within_limit(size_ + size)) return cannot_write(path_, EFBIG);
  const uint64_t offset = size_;
  const char* from = static_cast<const char*>(data);
  for (std::size_t left = size; left > 0;) {
    const ssize_t n = pwrite(*fd, from, left, static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int code = n < 0 ? errno : ENOSPC;
      size_ = offset;
      return cannot_write(path_, code);
    }
    from += n;
    left -= static_cast<std::size_t>(n);
    size_ += static_cast<uint64_t>(n);
  }
  return offset;
}

Status DataFile::forget_before(uint64_t offset) {
  if (!file_.is_open() || offset == 0) return {};
  const Result<int> fd = file_.descriptor();
  if (!fd) return fd.error();
  if (fallocate(*fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(offset)) != 0) return cannot_write(path_, errno);
  return {};
}

}  // namespace minrepro
