#include "harness/trace/trace_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "harness/base/files.h"
#include "harness/trace/format.h"
#include "harness/trace/run_info.h"
#include "harness/trace/trace.h"

namespace minrepro {
namespace {

using namespace trace_format;

Result<std::vector<std::string>> names_in(const std::string& folder) {
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return Error{fmt::format("cannot read '{}': {}", folder, std::strerror(errno))};
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(dir);
  std::sort(names.begin(), names.end());
  return names;
}

/// "calls.123", "calls.123.2": a prefix, then digits and dots.
bool is_process_file(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.substr(prefix.size()).find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_ours(std::string_view name) {
  return is_process_file(name, kCallsPrefix) || is_process_file(name, kDataPrefix) || name == kRunFile ||
         (name.starts_with(kRunFile) && name.ends_with(".part"));
}

/// A plain file that is open for reading; `fd` -1 if it does not exist.
class PlainFile {
 public:
  static Result<PlainFile> open(const std::string& path) {
    PlainFile file(path);
    // O_NONBLOCK: a pipe in the place of a file must not stop us for ever.
    file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file.fd_ < 0) {
      if (errno == ENOENT) return Result<PlainFile>(std::move(file));
      if (errno == ELOOP) return Error{fmt::format("{}: is a symbolic link; a trace holds plain files only", path)};
      return file.cannot_read(errno);
    }
    if (fstat(file.fd_, &file.info_) != 0 || !S_ISREG(file.info_.st_mode))
      return Error{fmt::format("{}: is no plain file; a trace holds plain files only", path)};
    return Result<PlainFile>(std::move(file));
  }
  PlainFile(PlainFile&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), info_(other.info_) {}
  ~PlainFile() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }
  const struct stat& info() const { return info_; }
  Error cannot_read(int code) const { return Error{fmt::format("cannot read '{}': {}", path_, std::strerror(code))}; }

 private:
  explicit PlainFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int fd_ = -1;
  struct stat info_ {};
};

/// Whether minrepro wrote a trace here, as the files say: others have a run.json, or files that end in a number, too.
bool was_written_by_minrepro(const std::string& folder, const std::vector<std::string>& names) {
  if (const Result<std::optional<RunInfo>> info = read_run_info(folder); info && *info) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (!is_process_file(name, kCallsPrefix)) return false;
    const Result<PlainFile> file = PlainFile::open(folder + "/" + name);
    if (!file || file->fd() < 0) return false;
    std::array<char, kMagic.size()> start{};
    const ssize_t got = pread(file->fd(), start.data(), start.size(), 0);
    return got == 0 || std::string_view(start.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))) == kMagic;   // empty: killed at once
  });
}

}  // namespace

Result<std::vector<ProcessFiles>> process_files(const std::string& folder) {
  Result<std::vector<std::string>> names = names_in(folder);
  if (!names) return names.error();
  std::vector<ProcessFiles> files;
  for (const std::string& name : *names) {
    if (!is_process_file(name, kCallsPrefix)) continue;
    files.push_back({folder + "/" + name, folder + "/" + kDataPrefix + name.substr(sizeof kCallsPrefix - 1)});
  }
  return files;
}

Result<std::optional<std::string>> read_trace_file(const std::string& path) {
  Result<PlainFile> file = PlainFile::open(path);
  if (!file) return file.error();
  if (file->fd() < 0) return std::optional<std::string>();
  const off_t hole = lseek(file->fd(), 0, SEEK_HOLE);
  if (lseek(file->fd(), 0, SEEK_SET) < 0) return file->cannot_read(errno);
  const auto size = static_cast<std::size_t>(hole >= 0 && hole < file->info().st_size ? hole : file->info().st_size);
  Result<std::string> content = read_descriptor(file->fd(), size, path);
  if (!content) return content.error();
  return std::optional<std::string>(std::move(*content));
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  std::swap(on_disk_, other.on_disk_);
  return *this;
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) munmap(const_cast<char*>(begin_), size_);
}

Result<MappedFile> map_trace_file(const std::string& path) {
  Result<PlainFile> file = PlainFile::open(path);
  if (!file) return file.error();
  if (file->fd() < 0 || file->info().st_size == 0) return MappedFile();
  const auto size = static_cast<std::size_t>(file->info().st_size);
  void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->fd(), 0);
  if (map == MAP_FAILED) return file->cannot_read(errno);
  return MappedFile(static_cast<const char*>(map), size, static_cast<uint64_t>(file->info().st_blocks) * 512);
}

bool is_trace(const std::string& folder) {
  const Result<std::vector<std::string>> names = names_in(folder);
  if (!names) return false;
  return std::any_of(names->begin(), names->end(), [](const std::string& name) { return name == kRunFile || is_process_file(name, kCallsPrefix); });
}

Status prepare_trace_folder(const std::string& folder) {
  if (Status status = make_folder(folder); !status) return status;
  if (access(folder.c_str(), W_OK | X_OK) != 0) return Error{fmt::format("cannot write to '{}': {}", folder, std::strerror(errno))};
  const Result<std::vector<std::string>> names = names_in(folder);
  if (!names) return names.error();
  if (!names->empty() && !was_written_by_minrepro(folder, *names))
    return Error{fmt::format("'{}' holds files and is no trace; name another folder with -o", folder)};
  for (const std::string& name : *names)
    if (is_ours(name) && unlink((folder + "/" + name).c_str()) != 0)
      return Error{fmt::format("cannot replace '{}/{}': {}", folder, name, std::strerror(errno))};
  return {};
}

}  // namespace minrepro
