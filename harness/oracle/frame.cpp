#include "harness/oracle/frame.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

namespace minrepro {
namespace {

/// Blocks SIGPIPE in this thread and swallows the one that a write raised, unless one was pending before: the host keeps its handlers.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    if (!was_pending_) {
      const timespec at_once = {};
      while (sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait = {fd, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return Error{fmt::format("cannot write to the other side: {}", std::strerror(errno))};
    }
  }
  return {};
}

/// Reads exactly `size` bytes; fewer at the end of the stream.
Result<std::size_t> read_all(int fd, char* to, std::size_t size, double patience_seconds) {
  std::size_t got = 0;
  while (got < size) {
    pollfd wait = {fd, POLLIN, 0};
    const int milliseconds = patience_seconds < 0 ? -1 : static_cast<int>(std::ceil(std::min(patience_seconds, 1e6) * 1000));
    const int ready = poll(&wait, 1, milliseconds);
    if (ready == 0) return Error{fmt::format("no answer within {:.1f} s", patience_seconds)};
    if (ready < 0) {
      if (errno == EINTR) continue;
      return Error{fmt::format("cannot wait for the other side: {}", std::strerror(errno))};
    }
    const ssize_t n = read(fd, to + got, size - got);
    if (n == 0) return got;
    if (n > 0) got += static_cast<std::size_t>(n);
    else if (errno != EINTR && errno != EAGAIN) return Error{fmt::format("cannot read from the other side: {}", std::strerror(errno))};
  }
  return got;
}

}  // namespace

Status write_frame(int fd, std::string_view bytes) {
  if (bytes.size() > kMaxFrameBytes) return Error{fmt::format("a frame of {} bytes is longer than {}", bytes.size(), kMaxFrameBytes)};
  const NoSigpipe quiet;
  const auto size = static_cast<uint32_t>(bytes.size());
  const char length[4] = {static_cast<char>(size), static_cast<char>(size >> 8), static_cast<char>(size >> 16), static_cast<char>(size >> 24)};
  // Short frames in one write: a system call is what a question inside the worker mostly costs.
  if (bytes.size() < 4096) return write_all(fd, std::string(length, 4).append(bytes));
  if (Status status = write_all(fd, std::string_view(length, 4)); !status) return status;
  return write_all(fd, bytes);
}

Result<std::optional<std::string>> read_frame(int fd, double patience_seconds) {
  unsigned char length[4];
  auto head = read_all(fd, reinterpret_cast<char*>(length), 4, patience_seconds);
  if (!head) return head.error();
  if (*head == 0) return std::optional<std::string>();
  if (*head < 4) return Error{"a frame is cut off"};
  const std::size_t size = length[0] | std::size_t{length[1]} << 8 | std::size_t{length[2]} << 16 | std::size_t{length[3]} << 24;
  if (size > kMaxFrameBytes) return Error{fmt::format("a frame says that it is {} bytes long", size)};
  std::string bytes(size, '\0');
  auto body = read_all(fd, bytes.data(), size, patience_seconds);
  if (!body) return body.error();
  if (*body < size) return Error{"a frame is cut off"};
  return std::optional(std::move(bytes));
}

}  // namespace minrepro
