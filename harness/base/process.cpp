#include "harness/base/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace minrepro {
namespace {

constexpr int kPollMilliseconds = 100;
/// After the program has ended: how long its streams are read if a process that it left behind holds them open.
constexpr double kDrainSeconds = 0.5;

/// The first and the last part of a stream.
class Kept {
 public:
  explicit Kept(std::size_t most) : half_(most / 2 + 1) {}
  void add(std::string_view text) {
    const std::size_t room = first_.size() < half_ ? half_ - first_.size() : 0;
    first_ += text.substr(0, room);
    if (text.size() <= room) return;
    last_ += text.substr(room);
    if (last_.size() <= 2 * half_) return;
    cut_ += last_.size() - half_;
    last_.erase(0, last_.size() - half_);
  }
  std::string text() const { return cut_ == 0 ? first_ + last_ : fmt::format("{}\n[{} bytes left out]\n{}", first_, cut_, last_); }

 private:
  std::size_t half_;
  std::size_t cut_ = 0;
  std::string first_;
  std::string last_;
};

struct Pipe {
  int read = -1;
  int write = -1;
  ~Pipe() {
    close_read();
    close_write();
  }
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  void close_read() { close_one(read); }
  void close_write() { close_one(write); }
  static void close_one(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
};

[[noreturn]] void become(const ProcessRequest& request, const std::vector<char*>& argv, int out, int err, int report) {
  setpgid(0, 0);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) signal(number, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : request.environment) setenv(name.c_str(), value.c_str(), 1);
  if (request.folder.empty() || chdir(request.folder.c_str()) == 0) execvp(argv[0], argv.data());
  const int code = errno;
  while (write(report, &code, sizeof code) < 0 && errno == EINTR) {
  }
  _exit(127);
}

}  // namespace

Result<ProcessEnd> run_process(const ProcessRequest& request) {
  const auto failed = [&](int code) { return Error{fmt::format("cannot run '{}': {}", request.words.front(), std::strerror(code))}; };
  Pipe out, err, report;
  if (!out.open() || !err.open() || !report.open()) return failed(errno);
  std::vector<char*> argv;
  for (const std::string& word : request.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const StopCondition clock;
  const pid_t child = fork();
  if (child < 0) return failed(errno);
  if (child == 0) become(request, argv, out.write, err.write, report.write);
  setpgid(child, child);                                 // whoever of us comes first
  out.close_write();
  err.close_write();
  report.close_write();
  int code = 0;
  ssize_t got = 0;
  do got = read(report.read, &code, sizeof code);
  while (got < 0 && errno == EINTR);
  if (got == sizeof code) {
    waitpid(child, nullptr, 0);
    return failed(code);
  }

  ProcessEnd end;
  Kept output(request.most_output), error(request.most_output);
  std::array<pollfd, 2> streams = {{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
  std::array<Kept*, 2> kept = {&output, &error};
  bool killed = false;
  bool ended = false;
  double ended_at = 0;
  while (!ended || ((streams[0].fd >= 0 || streams[1].fd >= 0) && clock.elapsed() - ended_at < kDrainSeconds)) {
    const bool open = streams[0].fd >= 0 || streams[1].fd >= 0;
    // With both streams closed there is nothing to poll for but the end itself.
    if (poll(open ? streams.data() : nullptr, open ? streams.size() : 0, open ? kPollMilliseconds : 5) > 0)
      for (std::size_t i = 0; i < streams.size(); ++i) {
        if (streams[i].fd < 0 || streams[i].revents == 0) continue;
        char buffer[16384];
        const ssize_t n = read(streams[i].fd, buffer, sizeof buffer);
        if (n > 0) kept[i]->add({buffer, static_cast<std::size_t>(n)});
        else if (n == 0 || errno != EINTR) streams[i].fd = -1;
      }
    if (!ended) {
      int status = 0;
      const pid_t reaped = waitpid(child, &status, WNOHANG);
      if (reaped == child) {
        ended = true;
        ended_at = clock.elapsed();
        end.wait_status = status;
      }
    }
    if (!ended && !killed) {
      end.interrupted = request.stop && request.stop->interrupted();
      end.timed_out = !end.interrupted && clock.elapsed() > request.seconds;
      killed = end.interrupted || end.timed_out;
      if (killed) kill(-child, SIGKILL);
    }
  }
  kill(-child, SIGKILL);                                 // what it left behind in its group
  end.seconds = ended_at;
  end.output = output.text();
  end.error = error.text();
  return end;
}

std::string output_of(std::vector<std::string> words, double seconds) {
  Result<ProcessEnd> end = run_process({.words = std::move(words), .seconds = seconds});
  return end && !end->timed_out ? std::move(end->output) : std::string();
}

Result<std::string> find_program(const std::string& name) {
  const auto is_file = [](const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  };
  if (name.find('/') != std::string::npos) {
    if (!is_file(name)) return Error{fmt::format("there is no command '{}'", name)};
    if (access(name.c_str(), X_OK) != 0) return Error{fmt::format("'{}' cannot be executed: {}", name, std::strerror(errno))};
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_file(candidate) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return Error{fmt::format("there is no command '{}'", name)};
}

}  // namespace minrepro
