#include "harness/torch/worker/contain.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace minrepro {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostStderr = 256 << 10;

/// A page of memory that parent and child share.
class SharedProgress {
 public:
  SharedProgress() {
    void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    progress_ = new (memory) Progress;
  }
  ~SharedProgress() { munmap(progress_, sizeof(Progress)); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  Progress& operator*() const { return *progress_; }

 private:
  Progress* progress_;
};

struct Child {
  std::size_t index = 0;
  pid_t pid = -1;
  int result = -1;                 // read ends; -1 once at their end
  int errors = -1;
  Clock::time_point start;
  Clock::time_point deadline;
  bool killed = false;
  Ended ended;
  std::unique_ptr<SharedProgress> progress;
};

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    else if (errno != EINTR) _exit(71);
  }
}

[[noreturn]] void run_child(pid_t parent, std::size_t index, const ContainLimits& limits, int result, int errors, Progress& progress,
                            const std::function<std::string(std::size_t, Progress&)>& body) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(72);  // it died before the line above
  dup2(errors, 2);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(nothing, 1);
  if (limits.memory_bytes > 0) {
    const auto most = static_cast<rlim_t>(data_space() + limits.memory_bytes);
    const rlimit memory = {most, most};
    setrlimit(RLIMIT_DATA, &memory);
  }
  write_all(result, body(index, progress));
  // No destructors and no exit handlers: LibTorch's would be the parent's.
  _exit(0);
}

bool start(Child& child, const ContainLimits& limits, const std::function<std::string(std::size_t, Progress&)>& body) {
  child.progress = std::make_unique<SharedProgress>();
  int result[2] = {-1, -1};
  int errors[2] = {-1, -1};
  if (pipe2(result, O_CLOEXEC) != 0) return false;
  if (pipe2(errors, O_CLOEXEC) != 0) {
    close(result[0]);
    close(result[1]);
    return false;
  }
  const pid_t parent = getpid();
  child.start = Clock::now();
  child.deadline = child.start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::clamp(limits.seconds, 0.001, 1e6)));
  const pid_t pid = fork();
  if (pid == 0) run_child(parent, child.index, limits, result[1], errors[1], **child.progress, body);
  close(result[1]);
  close(errors[1]);
  if (pid < 0) {
    close(result[0]);
    close(errors[0]);
    return false;
  }
  setpgid(pid, pid);  // here too: whichever comes first
  child.pid = pid;
  child.result = result[0];
  child.errors = errors[0];
  return true;
}

/// Reads what is there; closes `fd` at its end. Beyond `most` the text is dropped, so that a child that prints for ever neither blocks nor fills memory.
void drain(int& fd, std::string& to, std::size_t most) {
  static char buffer[64 << 10];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n > 0) {
    to.append(buffer, std::min(static_cast<std::size_t>(n), most - std::min(most, to.size())));
  } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
    close(fd);
    fd = -1;
  }
}

void kill_group(Child& child) {
  kill(-child.pid, SIGKILL);
  kill(child.pid, SIGKILL);
}

/// Takes the child's end if it has ended, and what is left in its pipes.
bool reap(Child& child, bool wait) {
  const pid_t got = waitpid(child.pid, &child.ended.wait_status, wait ? 0 : WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  child.ended.seconds = std::chrono::duration<double>(Clock::now() - child.start).count();
  kill(-child.pid, SIGKILL);  // whatever it started itself
  for (auto [fd, text, most] : {std::tuple(&child.result, &child.ended.result, std::string().max_size()),
                                std::tuple(&child.errors, &child.ended.stderr_text, kMostStderr)}) {
    if (*fd < 0) continue;
    fcntl(*fd, F_SETFL, O_NONBLOCK);  // a process that got away could hold the other end open
    for (std::size_t before = 0; *fd >= 0;) {
      before = text->size();
      drain(*fd, *text, most);
      if (*fd >= 0 && text->size() == before) {
        close(*fd);
        *fd = -1;
      }
    }
  }
  child.ended.timed_out = child.killed;
  child.ended.progress = &**child.progress;
  return true;
}

}  // namespace

int64_t data_space() {
  int64_t pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    long long data = 0;
    if (std::fscanf(file, "%*d %*d %*d %*d %*d %lld", &data) == 1) pages = data;   // size, resident, shared, text and library come before
    std::fclose(file);
  }
  return pages * sysconf(_SC_PAGESIZE);
}

bool contain(std::size_t count, const ContainLimits& limits, int watched, const std::function<std::string(std::size_t, Progress&)>& body,
             const std::function<void(std::size_t, const Ended&)>& ended) {
  std::vector<std::unique_ptr<Child>> running;
  std::size_t next = 0;
  while (next < count || !running.empty()) {
    while (next < count && running.size() < static_cast<std::size_t>(std::max(1, limits.jobs))) {
      auto child = std::make_unique<Child>();
      child->index = next;
      if (!start(*child, limits, body)) {
        if (!running.empty()) break;  // out of processes or descriptors: try again when one has ended
        usleep(10'000);
        break;
      }
      ++next;
      running.push_back(std::move(child));
    }

    std::vector<pollfd> waits = {{watched, 0, 0}};
    auto wake = Clock::now() + std::chrono::seconds(1);
    for (const auto& child : running) {
      if (child->result < 0) wake = std::min(wake, Clock::now() + std::chrono::milliseconds(1));  // its end is near, and has no descriptor
      if (!child->killed) wake = std::min(wake, child->deadline);
      waits.push_back({child->result, POLLIN, 0});
      waits.push_back({child->errors, POLLIN, 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(wake - Clock::now()).count();
    if (poll(waits.data(), waits.size(), static_cast<int>(std::clamp<int64_t>(left, 0, 1000))) < 0 && errno != EINTR) continue;
    if ((waits[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      for (auto& child : running) {
        kill_group(*child);
        reap(*child, true);
      }
      return false;
    }
    for (std::size_t i = 0; i < running.size(); ++i) {
      Child& child = *running[i];
      if (child.result >= 0 && waits[1 + 2 * i].revents != 0) drain(child.result, child.ended.result, std::string().max_size());
      if (child.errors >= 0 && waits[2 + 2 * i].revents != 0) drain(child.errors, child.ended.stderr_text, kMostStderr);
      if (!child.killed && Clock::now() >= child.deadline) {
        child.killed = true;
        kill_group(child);
      }
    }
    std::erase_if(running, [&](const std::unique_ptr<Child>& child) {
      // A killed or silent child is asked for; one that still holds its pipe is not.
      if (child->result >= 0 && !child->killed) return false;
      if (!reap(*child, false)) return false;
      ended(child->index, child->ended);
      return true;
    });
  }
  return true;
}

}  // namespace minrepro
