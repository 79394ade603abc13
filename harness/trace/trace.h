#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/program/program.h"
#include "harness/program/schema.h"

/// A trace in memory: what a recorded run left behind.
namespace minrepro {

/// Captured elements, shared between all mentions of the same value: a mask that a thousand calls read is in memory once. Used as an
/// std::optional<std::vector<std::byte>> would be.
class CapturedBytes {
 public:
  CapturedBytes() = default;
  CapturedBytes(std::nullopt_t) {}                                                                 // NOLINT(google-explicit-constructor)
  CapturedBytes(std::vector<std::byte> bytes)                                                      // NOLINT(google-explicit-constructor)
      : bytes_(std::make_shared<const std::vector<std::byte>>(std::move(bytes))) {}
  CapturedBytes(std::shared_ptr<const std::vector<std::byte>> bytes) : bytes_(std::move(bytes)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return bytes_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const std::vector<std::byte>& operator*() const { return *bytes_; }
  const std::vector<std::byte>* operator->() const { return bytes_.get(); }
  const std::vector<std::byte>& value() const { return *bytes_; }
  const std::shared_ptr<const std::vector<std::byte>>& shared() const { return bytes_; }

 private:
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

/// A tensor as one call saw it. Identities are the recorder's own numbers: memory that is reused after a free is a new storage.
struct TraceTensor {
  TensorMeta meta;
  std::string device;                          ///< "cpu", "sim", "cuda:0"
  uint64_t storage = 0;                        ///< 0: it has none (sparse, undefined)
  uint64_t tensor = 0;                         ///< identity of the tensor object itself
  int64_t storage_offset = 0;                  ///< in elements
  bool requires_grad = false;
  bool is_view = false;
  bool is_wrapped_number = false;
  CapturedBytes data;                          ///< captured elements in logical order
  std::vector<int> components;                 ///< of a sparse tensor: positions in Trace::tensors
};

enum class CallState { kStarted, kFinished, kThrew };

/// One recorded call. A source in a library without Python has the module's path as `file`, line 0 and "+0xOFFSET" as `function`;
/// harness/trace/symbolise.h turns it into a name. In its values a TensorRef's id is a position in Trace::tensors.
struct TraceCall {
  int op = -1;                                 ///< position in Trace::ops
  int thread = 0;
  int source = -1;                             ///< position in Trace::sources; -1 unknown
  std::vector<Value> args;                     ///< one for each schema argument, in schema order
  std::vector<Value> results;                  ///< empty unless finished
  CallState state = CallState::kStarted;
  std::optional<uint64_t> seed_hint;           ///< random calls: initial seed of the generator used
  CapturedBytes generator_state;               ///< of a call with a generator of its own (torch.Generator): its get_state() before the call
  std::string exception_type;                  ///< of a call that threw, where it is known: "c10::IndexError"
  std::string message;                         ///< likewise: what it said
};

/// A call, outermost or inner, that violates an assert rule.
struct TraceViolation {
  int call = -1;                               ///< the outermost call: position in Trace::calls
  std::string op;                              ///< the dispatched operator whose kernel asserts
  std::string rule;                            ///< rule id
  std::string text;                            ///< Violation::text
  std::string file;                            ///< the kernel's source file, as CUDA prints it
  std::string expression;                      ///< what it prints as its assertion; empty if nothing
  std::vector<Value> args;                     ///< arguments of that operator, tensors with data where the rule reads it (schema order); `op_index` gives the schema
  int op_index = -1;                           ///< position in Trace::ops
};

/// How the process ended, as far as it could say so itself.
struct TraceException {
  std::string type;                            ///< "torch.AcceleratorError"
  std::string message;
  SourceLine where;                            ///< innermost user line of the traceback; line 0 when there is none
};

struct Trace {
  std::string folder;
  int64_t pid = 0;
  std::string torch_version;
  std::vector<std::string> command;
  bool simulated = false;
  std::vector<Schema> ops;
  std::vector<SourceLine> sources;
  std::vector<TraceTensor> tensors;
  std::vector<TraceCall> calls;                ///< in the order in which they started
  std::vector<TraceViolation> violations;
  std::optional<TraceException> exception;
  int64_t started_ns = 0;                      ///< when the process began to record, CLOCK_REALTIME
  int processes = 1;                           ///< how many recorded into the folder
  std::optional<int> wait_status;              ///< of the recorded command, as waitpid gave it; written by `minrepro record`
  bool timed_out = false;
};

/// Reads DIR. Several processes may have recorded into it: the one that failed is returned (a violation, an exception, an unfinished call, a bad
/// end; else the first one). A cut-off last record is dropped without a word: that is what a crash leaves. Anything else that does
/// not fit is an error "DIR/calls.123: byte 456: …". No input can make it crash, read outside DIR, or allocate more than the files' size calls for.
Result<Trace> read_trace(const std::string& folder);

/// Whether the folder looks like a trace at all.
bool is_trace(const std::string& folder);

/// The call that failed, by what the trace alone says: the first violation's call; else the thrown or unfinished call at the end of a run that ended badly.
struct TraceFailure {
  int call = -1;                               ///< culprit: position in Trace::calls
  int symptom_call = -1;                       ///< where it surfaced; -1 unknown
  std::string kind;                            ///< name_of(FailureKind)
  std::string text;                            ///< violation text, or exception message, or signal name
  std::string rule;
  std::string op;                              ///< the kernel's operator
  std::string file;                            ///< of a violation: what CUDA prints, see TraceViolation
  std::string expression;
};
std::optional<TraceFailure> failure_of(const Trace& trace);

}  // namespace minrepro
