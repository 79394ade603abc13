#include "tools/child_run.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace minrepro {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set, number);
  return set;
}

/// The terminal, where we are its foreground group: lent to the child while it runs.
class Terminal {
 public:
  Terminal() : fd_(open("/dev/tty", O_RDWR | O_CLOEXEC)) {
    if (fd_ >= 0 && tcgetpgrp(fd_) != getpgrp()) {
      close(fd_);
      fd_ = -1;
    }
  }
  ~Terminal() {
    give_to(getpgrp());
    if (fd_ >= 0) close(fd_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Whether a shell may be behind us that lends the terminal out.
  bool is_there() const { return fd_ >= 0; }

  void give_to(pid_t group) const {
    if (fd_ < 0) return;
    // A background group that takes the terminal is stopped, unless it holds this signal back.
    sigset_t set;
    sigset_t before;
    sigemptyset(&set);
    sigaddset(&set, SIGTTOU);
    sigprocmask(SIG_BLOCK, &set, &before);
    tcsetpgrp(fd_, group);
    sigprocmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  int fd_;
};

[[noreturn]] void become(const ChildCommand& command, const std::vector<char*>& argv, const Terminal& terminal, const sigset_t& mask, int report) {
  setpgid(0, 0);
  terminal.give_to(getpid());
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(command.program.c_str(), argv.data());
  const int code = errno;
  while (write(report, &code, sizeof code) < 0 && errno == EINTR) {
  }
  _exit(127);
}

class Run {
 public:
  Run(const ChildCommand& command, const Terminal& terminal, pid_t child) : terminal_(terminal), child_(child), start_(Clock::now()) {
    if (command.seconds) deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*command.seconds));
  }

  ChildEnd wait() {
    const sigset_t set = handled_signals();
    for (;;) {
      if (reap()) break;
      timespec pause{3600, 0};
      if (deadline_) {
        const auto left = std::max(std::chrono::nanoseconds(0), std::chrono::duration_cast<std::chrono::nanoseconds>(*deadline_ - Clock::now()));
        pause = {static_cast<time_t>(left.count() / 1'000'000'000), static_cast<long>(left.count() % 1'000'000'000)};
      }
      const int number = sigtimedwait(&set, nullptr, &pause);
      if (number > 0 && number != SIGCHLD) kill(-child_, number);
      if (deadline_ && Clock::now() >= *deadline_) on_deadline();
    }
    end_.pid = child_;
    end_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (end_.timed_out) kill(-child_, SIGKILL);       // what it left behind in its group
    return end_;
  }

 private:
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t got = waitpid(child_, &status, WNOHANG | WUNTRACED);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return got < 0;
      if (WIFSTOPPED(status)) {
        // Without a terminal nobody would wake us: the command may stay stopped until somebody wakes it, or its time is up.
        if (!terminal_.is_there()) continue;
        // Ctrl-Z: we stop with it, so that the shell gets its prompt back, and go on with it.
        terminal_.give_to(getpgrp());
        raise(SIGSTOP);
        terminal_.give_to(child_);
        kill(-child_, SIGCONT);
        continue;
      }
      end_.wait_status = status;
      return true;
    }
  }

  void on_deadline() {
    if (end_.timed_out) {
      kill(-child_, SIGKILL);
      deadline_ = Clock::now() + std::chrono::hours(1);
      return;
    }
    end_.timed_out = true;
    kill(-child_, SIGTERM);
    kill(-child_, SIGCONT);                            // a stopped one would not hear it
    deadline_ = Clock::now() + kGrace;
  }

  const Terminal& terminal_;
  pid_t child_;
  Clock::time_point start_;
  std::optional<Clock::time_point> deadline_;
  ChildEnd end_;
};

}  // namespace

Result<ChildEnd> run_child(const ChildCommand& command) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return Error{fmt::format("cannot run '{}': {}", command.program, std::strerror(errno))};
  std::vector<char*> argv;
  for (const std::string& word : command.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const sigset_t set = handled_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &set, &before);
  const Terminal terminal;
  const pid_t child = fork();
  if (child == 0) become(command, argv, terminal, before, report[1]);
  const int fork_error = errno;
  close(report[1]);
  if (child < 0) {
    close(report[0]);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return Error{fmt::format("cannot run '{}': {}", command.program, std::strerror(fork_error))};
  }
  setpgid(child, child);                               // whoever of us comes first
  int code = 0;
  ssize_t got = 0;
  do got = read(report[0], &code, sizeof code);
  while (got < 0 && errno == EINTR);
  close(report[0]);
  ChildEnd end = Run(command, terminal, child).wait();
  terminal.give_to(getpgrp());
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (got == sizeof code) return Error{fmt::format("cannot run '{}': {}", command.program, std::strerror(code))};
  return end;
}

}  // namespace minrepro
