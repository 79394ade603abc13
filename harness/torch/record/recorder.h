#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/record_function.h>

#include "harness/torch/check/violation_event.h"
#include "harness/torch/record/capture.h"
#include "harness/torch/record/encoder.h"
#include "harness/torch/record/identity.h"
#include "harness/torch/record/op_table.h"
#include "harness/torch/record/source_info.h"
#include "harness/torch/record/thread_state.h"
#include "harness/trace/record_buffer.h"
#include "harness/trace/trace_writer.h"

namespace minrepro {

/// Writes one process's calls into the trace. Safe to use from several threads. It never throws into the recorded program and never ends it: where it
/// cannot go on (a full disk) it says so once on stderr and stops recording.
class Recorder {
 public:
  Recorder(std::string folder, DataMode mode) : folder_(std::move(folder)), mode_(mode) {}

  /// The outermost call of this thread is about to run.
  void start_call(const at::RecordFunction& fn, ThreadState& thread);
  /// It has ended. Precondition: `thread.current` is `&fn`.
  void end_call(const at::RecordFunction& fn, ThreadState& thread);
  /// An operator is about to run inside the present call of this thread: only looked at on CUDA, for rules that it may violate.
  void start_inner_call(const at::RecordFunction& fn, ThreadState& thread);
  bool wants_inner_calls() const { return saw_cuda_.load(std::memory_order_relaxed); }
  /// An operator, the present call or one inside it, is about to violate a rule.
  void violation(const ViolationEvent& event, ThreadState& thread);
  /// An exception that nobody catches.
  void exception(const std::string& type, const std::string& message, const SourceInfo& where);

  OpTable& ops() { return ops_; }
  bool is_recording() const { return state_.load(std::memory_order_relaxed) == State::kRecording; }

  /// Cuts the files to their length; nothing is recorded from here on.
  void close();

  /// Around a fork. The child starts a trace of its own when it makes its first call.
  void before_fork() {
    mutex_.lock();
    ops_.lock();
  }
  void after_fork_in_parent() {
    ops_.unlock();
    mutex_.unlock();
  }
  void after_fork_in_child();

 private:
  enum class State { kRecording, kStopped };

  /// What belongs to the trace of one process.
  struct Session {
    explicit Session(std::unique_ptr<CallsFile> file, DataMode mode)
        : calls(std::move(file)), data(calls->path()), capture(mode, data), encoder(identities, capture) {}
    std::unique_ptr<CallsFile> calls;
    DataFile data;
    Identities identities;
    Capture capture;
    Encoder encoder;
    uint64_t ops = 0;
    uint64_t sources = 0;
    uint64_t calls_made = 0;
    int threads = 0;
  };

  /// The following run with the mutex held.
  Session* session();
  bool append();
  bool define(OpEntry& op);
  bool define(SourceInfo& source);
  uint64_t number_of(ThreadState& thread);
  bool begin(OpEntry& op, c10::ArrayRef<const c10::IValue> inputs, SourceInfo* source, const std::optional<uint64_t>& seed, ThreadState& thread);
  uint8_t write_randomness(const OpEntry& op, c10::ArrayRef<const c10::IValue> inputs, const std::optional<uint64_t>& seed);
  void stop(const std::string& why);
  void check_on_cuda(OpEntry& op, c10::ArrayRef<const c10::IValue> inputs, ThreadState& thread);

  std::string folder_;
  DataMode mode_;
  OpTable ops_;
  std::atomic<State> state_{State::kRecording};
  std::atomic<bool> saw_cuda_{false};      ///< and no assertion has failed yet

  std::mutex mutex_;
  std::unique_ptr<Session> session_;
  uint64_t session_number_ = 1;            ///< a fork's child counts on: what was defined for its parent's trace is not defined for its own
  bool is_cuda_noted_ = false;
  RecordBuffer buffer_;
  RecordBuffer definition_;
};

}  // namespace minrepro
