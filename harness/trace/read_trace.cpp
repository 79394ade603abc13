#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "harness/base/printable.h"
#include "harness/trace/byte_reader.h"
#include "harness/trace/format.h"
#include "harness/trace/run_info.h"
#include "harness/trace/trace.h"
#include "harness/trace/trace_folder.h"
#include "harness/trace/value_reader.h"

namespace minrepro {
namespace {

using trace_format::RecordType;

/// Reads the records of one process in order.
class ProcessReader {
 public:
  ProcessReader(std::string path, std::string_view calls, const MappedFile& data)
      : path_(std::move(path)), calls_(calls), values_(trace_, data.content(), data.bytes_on_disk()) {}

  Result<Trace> read() {
    trace_format::FileHeader header{};
    if (calls_.size() < sizeof header) return std::move(trace_);   // the process died while it made the file
    std::memcpy(&header, calls_.data(), sizeof header);
    if (header.magic[0] == '\0') return std::move(trace_);
    if (std::string_view(header.magic, sizeof header.magic) != trace_format::kMagic) return error(0, "this is no trace of minrepro; was the file replaced?");
    if (header.version != trace_format::kVersion || header.header_size != sizeof header)
      return error(8, fmt::format("the format's version is {}, this minrepro reads {}; record the run again", header.version, trace_format::kVersion));
    trace_.pid = header.pid;
    trace_.started_ns = header.started_ns;

    // Captured data that is gone later was there when its call was written: what is left has to be known before anything is read.
    for_each_record([&](std::string_view record, std::size_t at) {
      if (record[0] != static_cast<char>(RecordType::kForgotten)) return true;
      ByteReader in(record.substr(1), at + 1);
      values_.forget_before(in.varint());
      return true;
    });
    std::optional<Error> failed;
    for_each_record([&](std::string_view bytes, std::size_t at) {
      ByteReader in(bytes, at);
      record(in);
      if (in.failed()) failed = error(in.failed_at(), in.error() + "; was the file edited?");
      else if (in.left() > 0) failed = error(in.position(), fmt::format("{} bytes too many in a record; was the file edited?", in.left()));
      return !failed.has_value();
    });
    if (failed) return *failed;
    return std::move(trace_);
  }

 private:
  /// Calls `visit(bytes, position)` for each complete record until it returns false.
  template <typename Visit>
  void for_each_record(Visit&& visit) const {
    std::size_t at = sizeof(trace_format::FileHeader);
    while (calls_.size() - at >= 4) {
      uint32_t length = 0;
      std::memcpy(&length, calls_.data() + at, 4);
      if (length == 0 || length > calls_.size() - at - 4) break;   // the end, or a record that was cut off
      if (!visit(calls_.substr(at + 4, length), at + 4)) return;
      const std::size_t step = 4 + ((std::size_t{length} + 3) & ~std::size_t{3});
      if (step > calls_.size() - at) break;
      at += step;
    }
  }

  Error error(std::size_t at, const std::string& what) const { return Error{fmt::format("{}: byte {}: {}", path_, at, what)}; }

  void record(ByteReader& in) {
    const auto type = static_cast<RecordType>(in.byte());
    switch (type) {
      case RecordType::kInfo:
        trace_.torch_version = printable(in.string());
        trace_.simulated = in.byte() != 0;
        return;
      case RecordType::kOp: return op(in);
      case RecordType::kSource: {
        trace_.sources.push_back(source(in));
        return;
      }
      case RecordType::kCall: return call(in);
      case RecordType::kFinished: return finished(in);
      case RecordType::kThrew: {
        TraceCall* threw = open_call(in);
        if (threw == nullptr) return;
        threw->state = CallState::kThrew;
        threw->exception_type = printable(in.string());
        threw->message = printable(in.string(), true);
        return;
      }
      case RecordType::kViolation: return violation(in);
      case RecordType::kException: {
        TraceException exception;
        exception.type = printable(in.string());
        exception.message = printable(in.string(), true);
        exception.where = source(in);
        trace_.exception = std::move(exception);
        return;
      }
      case RecordType::kForgotten: {
        in.varint();                         // known already
        return;
      }
    }
    in.fail(fmt::format("no kind of record has the number {}", static_cast<int>(type)));
  }

  void op(ByteReader& in) {
    const std::string_view text = in.string();
    if (in.failed()) return;
    Result<Schema> schema = parse_schema(printable(text));
    if (!schema) return in.fail(schema.error().message);
    trace_.ops.push_back(std::move(*schema));
  }

  SourceLine source(ByteReader& in) {
    SourceLine line;
    line.file = printable(in.string());
    line.line = static_cast<int64_t>(in.varint_below(uint64_t{1} << 31, "line"));
    line.function = printable(in.string());
    line.text = printable(in.string());
    return line;
  }

  void call(ByteReader& in) {
    TraceCall call;
    call.op = static_cast<int>(in.varint_below(trace_.ops.size(), "operator"));
    call.thread = static_cast<int>(in.varint_below(1 << 30, "thread"));
    call.source = static_cast<int>(in.varint_below(trace_.sources.size() + 1, "source")) - 1;
    const uint8_t flags = in.byte();
    if (flags & trace_format::kHasSeed) call.seed_hint = in.varint();
    if (flags & trace_format::kHasGeneratorState) call.generator_state = values_.blob(in);
    if (in.failed()) return;
    call.args = values(in, trace_.ops[static_cast<std::size_t>(call.op)].arguments, "arguments");
    if (!in.failed() && call.args.size() != trace_.ops[static_cast<std::size_t>(call.op)].arguments.size())
      in.fail(fmt::format("{} arguments of {}, its schema has {}", call.args.size(), trace_.ops[static_cast<std::size_t>(call.op)].name,
                          trace_.ops[static_cast<std::size_t>(call.op)].arguments.size()));
    if (in.failed()) return;
    if (trace_.calls.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max())) return in.fail("more calls than can be numbered");
    trace_.calls.push_back(std::move(call));
  }

  void finished(ByteReader& in) {
    TraceCall* call = open_call(in);
    if (call == nullptr) return;
    call->results = values(in, trace_.ops[static_cast<std::size_t>(call->op)].returns, "results");
    call->state = CallState::kFinished;
  }

  void violation(ByteReader& in) {
    TraceViolation violation;
    violation.call = static_cast<int>(trace_.calls.size() - 1 - in.varint_below(trace_.calls.size(), "call"));
    violation.op_index = static_cast<int>(in.varint_below(trace_.ops.size(), "operator"));
    violation.rule = printable(in.string());
    violation.text = printable(in.string(), true);
    violation.file = printable(in.string());
    violation.expression = printable(in.string());
    if (in.failed()) return;
    const Schema& schema = trace_.ops[static_cast<std::size_t>(violation.op_index)];
    violation.op = schema.name;
    violation.args = values(in, schema.arguments, "arguments");
    if (!in.failed()) trace_.violations.push_back(std::move(violation));
  }

  std::vector<Value> values(ByteReader& in, const std::vector<SchemaArgument>& schema, const char* what) {
    std::vector<Value> values;
    const std::size_t count = in.count(what);
    values.reserve(count < schema.size() ? count : schema.size());
    for (std::size_t i = 0; i < count && !in.failed(); ++i)
      values.push_back(values_.value(in, i < schema.size() ? std::string_view(schema[i].type) : std::string_view()));
    return values;
  }

  TraceCall* open_call(ByteReader& in) {
    const uint64_t back = in.varint_below(trace_.calls.size(), "call");
    if (in.failed()) return nullptr;
    TraceCall& call = trace_.calls[trace_.calls.size() - 1 - back];
    if (call.state != CallState::kStarted) {
      in.fail("a call ends twice");
      return nullptr;
    }
    return &call;
  }

  std::string path_;
  std::string_view calls_;
  Trace trace_;
  ValueReader values_;
};

bool has_unfinished_call(const Trace& trace) {
  for (const TraceCall& call : trace.calls)
    if (call.state == CallState::kStarted) return true;
  return false;
}

/// Whether the exception that ended a process has these words, which are those of torch.utils.data's parent of workers.
bool says(const Trace& trace, const char* words) { return trace.exception && trace.exception->message.find(words) != std::string::npos; }
bool reports_death_of_worker(const Trace& trace) {
  if (says(trace, "killed by signal") || says(trace, "exited unexpectedly")) return true;
  // Or it is in the middle of a message when the other side goes away.
  constexpr std::array<std::string_view, 4> kGone = {"ConnectionResetError", "ConnectionRefusedError", "BrokenPipeError", "EOFError"};
  return trace.exception && std::find(kGone.begin(), kGone.end(), trace.exception->type) != kGone.end();
}
bool reports_exception_of_worker(const Trace& trace) { return says(trace, "in DataLoader worker process"); }

/// Whether the exception that a process reports is one that a call of `trace` threw, and nothing ended `trace` otherwise.
bool threw(const Trace& trace, const std::string& reported) {
  if (trace.exception) return false;
  const auto last = std::find_if(trace.calls.rbegin(), trace.calls.rend(), [](const TraceCall& call) { return call.state == CallState::kThrew; });
  return last != trace.calls.rend() && !last->message.empty() && reported.find(last->message.substr(0, last->message.find('\n'))) != std::string::npos;
}

/// How much a process looks like the one that failed.
int suspicion(const Trace& trace) {
  if (!trace.violations.empty()) return 4;
  // A parent that only reports the death of its child is not the one to look at.
  if (trace.exception) return reports_death_of_worker(trace) ? 1 : 3;
  return has_unfinished_call(trace) ? 2 : 0;
}

Result<Trace> read_process(const ProcessFiles& process) {
  Result<std::optional<std::string>> calls = read_trace_file(process.calls);
  if (!calls) return calls.error();
  Result<MappedFile> data = map_trace_file(process.data);
  if (!data) return data.error();
  return ProcessReader(process.calls, calls->has_value() ? std::string_view(**calls) : "", *data).read();
}

}  // namespace

Result<Trace> read_trace(const std::string& folder) {
  Result<std::vector<ProcessFiles>> files = process_files(folder);
  if (!files) return files.error();
  Result<std::optional<RunInfo>> run = read_run_info(folder);
  if (!run) return run.error();
  if (files->empty() && !run->has_value()) return Error{fmt::format("'{}' is no trace: it has neither {} nor a calls.PID", folder, trace_format::kRunFile)};

  std::optional<Trace> best;
  bool a_worker_died = false;
  for (const ProcessFiles& process : *files) {
    Result<Trace> trace = read_process(process);
    if (!trace) return trace.error();
    a_worker_died = a_worker_died || reports_death_of_worker(*trace);
    const bool better = !best || suspicion(*trace) > suspicion(*best) ||
                        (suspicion(*trace) == suspicion(*best) && trace->started_ns < best->started_ns && trace->started_ns != 0);
    if (better) best = std::move(*trace);
  }
  if (best && reports_exception_of_worker(*best)) {
    const std::string reported = best->exception->message;
    for (const ProcessFiles& process : *files) {
      Result<Trace> trace = read_process(process);
      if (!trace) return trace.error();
      if (!threw(*trace, reported)) continue;
      best = std::move(*trace);
      break;
    }
  }
  Trace trace = best ? std::move(*best) : Trace();
  trace.folder = folder;
  trace.processes = static_cast<int>(files->size());
  if (run->has_value()) {
    RunInfo& info = **run;
    trace.command = std::move(info.command);
    // The worker's own end is known to its parent only, which went on to an exit status of its own.
    if (!(a_worker_died && !trace.exception && has_unfinished_call(trace))) trace.wait_status = info.wait_status;
    trace.timed_out = info.timed_out;
    trace.simulated = trace.simulated || info.simulated;
  }
  return trace;
}

}  // namespace minrepro
