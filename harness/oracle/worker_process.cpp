#include "harness/oracle/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace minrepro {
namespace {

/// A descriptor above the standard ones, closed on exec: a dup2 onto 0, 1 or 2 must not meet one of the pipes' own ends.
void lift(int& fd) {
  if (fd < 0 || fd > 2) return;
  const int lifted = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  close(fd);
  fd = lifted;
}

void close_all(std::initializer_list<int> fds) {
  for (int fd : fds)
    if (fd >= 0) close(fd);
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::vector<std::string>& command) {
  int in[2] = {-1, -1};      // read by the child
  int out[2] = {-1, -1};     // written by the child
  int failed[2] = {-1, -1};  // says why exec did not work; closed by exec when it did
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
    const int reason = errno;
    close_all({in[0], in[1], out[0], out[1], failed[0], failed[1]});
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(reason))};
  }
  int err = memfd_create("minrepro-worker-stderr", MFD_CLOEXEC);
  for (int* fd : {&in[0], &in[1], &out[0], &out[1], &failed[0], &failed[1], &err}) lift(*fd);
  if (err >= 0) fcntl(err, F_SETFL, O_APPEND);  // shared with the child: after a truncation it goes on at the start

  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const pid_t pid = fork();
  if (pid < 0) {
    const int reason = errno;
    close_all({in[0], in[1], out[0], out[1], failed[0], failed[1], err});
    return Error{fmt::format("cannot start '{}': {}", command.front(), std::strerror(reason))};
  }
  if (pid == 0) {
    // Only async-signal-safe calls here: the host may have threads.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    setpgid(0, 0);  // Ctrl-C is the host's; the worker ends when its pipe closes
    dup2(in[0], 0);
    dup2(out[1], 1);
    if (err >= 0) dup2(err, 2);
    execv(argv[0], argv.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t n = write(failed[1], &reason, sizeof reason);
    _exit(127);
  }
  close_all({in[0], out[1], failed[1]});
  int reason = 0;
  ssize_t n = 0;
  while ((n = read(failed[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  close(failed[0]);

  std::unique_ptr<WorkerProcess> process(new WorkerProcess);
  process->pid_ = pid;
  process->to_ = in[1];
  process->from_ = out[0];
  process->stderr_ = err;
  if (n == sizeof reason) return Error{fmt::format("cannot start '{}': {}", command.front(), std::strerror(reason))};
  return process;
}

WorkerProcess::~WorkerProcess() {
  end();
  close_all({stderr_});
}

std::string WorkerProcess::stderr_text() const {
  struct stat info = {};
  if (stderr_ < 0 || fstat(stderr_, &info) != 0) return "";
  constexpr off_t kMost = 64 << 10;
  std::string text(static_cast<std::size_t>(std::min(info.st_size, kMost)), '\0');
  const ssize_t n = pread(stderr_, text.data(), text.size(), info.st_size > kMost ? info.st_size - kMost : 0);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

void WorkerProcess::forget_stderr() {
  if (stderr_ >= 0) [[maybe_unused]] const int ignored = ftruncate(stderr_, 0);
}

int WorkerProcess::end() {
  close_all({to_, from_});
  to_ = from_ = -1;
  if (pid_ <= 0) return wait_status_;
  kill(pid_, SIGKILL);  // its children go with it: they asked the kernel to be told of its death
  while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return wait_status_;
}

}  // namespace minrepro
