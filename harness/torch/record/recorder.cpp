#include "harness/torch/record/recorder.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include <c10/core/DeviceType.h>

#include "harness/asserts/alternatives.h"
#include "harness/torch/check/call_view.h"
#include "harness/torch/record/device_check.h"
#include "harness/torch/record/random_seed.h"
#include "harness/torch/record/source.h"

namespace minrepro {
namespace {

using trace_format::RecordType;

/// The arguments lie at the end of what a boxed call hands over: the rest is the caller's stack.
c10::ArrayRef<const c10::IValue> last(c10::ArrayRef<const c10::IValue> values, std::size_t count) {
  return values.size() <= count ? values : values.slice(values.size() - count, count);
}

Encoder::Role role_of(const OpEntry& op, std::size_t argument) {
  return op.mutated[argument] ? Encoder::Role::kMutatedArgument : op.viewed[argument] ? Encoder::Role::kViewedArgument : Encoder::Role::kArgument;
}

}  // namespace

Recorder::Session* Recorder::session() {
  if (session_) return session_.get();
  if (!is_recording()) return nullptr;
  Result<std::unique_ptr<CallsFile>> file = CallsFile::create(folder_, getpid());
  if (!file) {
    stop(file.error().message);
    return nullptr;
  }
  session_ = std::make_unique<Session>(std::move(*file), mode_);
  definition_.start(RecordType::kInfo);
  definition_.string(MINREPRO_TORCH_VERSION);
  definition_.byte(c10::get_privateuse1_backend() == "sim");
  if (Status status = session_->calls->append(definition_.bytes()); !status) stop(status.error().message);
  return session_.get();
}

void Recorder::stop(const std::string& why) {
  if (state_.exchange(State::kStopped) == State::kStopped) return;
  std::fprintf(stderr, "minrepro: recording stops here, the program goes on: %s\n", why.c_str());
}

bool Recorder::append() {
  if (Status status = session_->calls->append(buffer_.bytes()); !status) {
    stop(status.error().message);
    return false;
  }
  return true;
}

bool Recorder::define(OpEntry& op) {
  if (op.session == session_number_) return true;
  definition_.start(RecordType::kOp);
  definition_.string(op.schema_text);
  if (Status status = session_->calls->append(definition_.bytes()); !status) {
    stop(status.error().message);
    return false;
  }
  op.number = session_->ops++;
  op.session = session_number_;
  return true;
}

bool Recorder::define(SourceInfo& source) {
  if (source.session == session_number_) return true;
  definition_.start(RecordType::kSource);
  definition_.string(source.file);
  definition_.varint(static_cast<uint64_t>(source.line));
  definition_.string(source.function);
  definition_.string(source.text);
  if (Status status = session_->calls->append(definition_.bytes()); !status) {
    stop(status.error().message);
    return false;
  }
  source.number = session_->sources++;
  source.session = session_number_;
  return true;
}

uint64_t Recorder::number_of(ThreadState& thread) {
  if (thread.session != session_number_) {
    thread.session = session_number_;
    thread.number = static_cast<uint64_t>(session_->threads++);
  }
  return thread.number;
}

bool Recorder::begin(OpEntry& op, c10::ArrayRef<const c10::IValue> inputs, SourceInfo* source, const std::optional<uint64_t>& seed, ThreadState& thread) {
  Session* s = session();
  if (s == nullptr || !is_recording() || !define(op) || (source != nullptr && !define(*source))) return false;
  buffer_.start(RecordType::kCall);
  buffer_.varint(op.number);
  buffer_.varint(number_of(thread));
  buffer_.varint(source != nullptr ? source->number + 1 : 0);
  const std::size_t flags_at = buffer_.mark();
  buffer_.byte(0);
  buffer_.at(flags_at) = write_randomness(op, inputs, seed);
  buffer_.varint(op.arguments);
  thread.arguments.clear();
  s->encoder.set_arguments(&thread.arguments);
  for (std::size_t i = 0; i < op.arguments; ++i) {
    if (i < inputs.size()) s->encoder.value(inputs[i], role_of(op, i), buffer_);
    else buffer_.tag(trace_format::ValueTag::kNone);
  }
  if (!append()) return false;
  if (s->encoder.saw_cuda() && !is_cuda_noted_) {
    is_cuda_noted_ = true;
    saw_cuda_.store(true);
  }
  thread.call = s->calls_made++;
  if (s->capture.has_complaint()) [[unlikely]]
    std::fprintf(stderr, "minrepro: no more data is kept, the program goes on: %s\n", s->capture.take_complaint().c_str());
  if (s->capture.forgotten() != 0) {
    buffer_.start(RecordType::kForgotten);
    buffer_.varint(s->capture.forgotten());
    if (append()) s->capture.drop_forgotten();
  }
  return true;
}

uint8_t Recorder::write_randomness(const OpEntry& op, c10::ArrayRef<const c10::IValue> inputs, const std::optional<uint64_t>& seed) {
  if (!op.is_random) return 0;
  uint8_t flags = 0;
  if (seed) {
    flags |= trace_format::kHasSeed;
    buffer_.varint(*seed);
  }
  for (const c10::IValue& value : inputs) {
    if (!value.isGenerator()) continue;
    if (const at::Generator generator = value.toGenerator(); generator.defined() && session_->encoder.generator_state(generator, buffer_))
      return flags | trace_format::kHasGeneratorState;
  }
  return flags;
}

void Recorder::start_call(const at::RecordFunction& fn, ThreadState& thread) {
  OpEntry* op = ops_.find(fn);
  if (op == nullptr || op->is_transparent) return;
  SourceInfo* source = find_source();
  const c10::ArrayRef<const c10::IValue> inputs = last(fn.inputs(), op->arguments);
  const std::optional<uint64_t> seed = op->is_random ? seed_of(inputs) : std::nullopt;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!begin(*op, inputs, source, seed, thread)) return;
    thread.current = &fn;
    thread.op = op;
    if (op->returns == 0) thread.uncaught = std::uncaught_exceptions();
    thread.thrown_type.clear();
    thread.thrown_message.clear();
  }
  if (wants_inner_calls()) check_on_cuda(*op, inputs, thread);
}

void Recorder::start_inner_call(const at::RecordFunction& fn, ThreadState& thread) {
  OpEntry* op = ops_.find(fn);
  if (op != nullptr) check_on_cuda(*op, last(fn.inputs(), op->arguments), thread);
}

void Recorder::check_on_cuda(OpEntry& op, c10::ArrayRef<const c10::IValue> inputs, ThreadState& thread) {
  if (!op.has_rules || inputs.size() < op.arguments || !is_on_cuda(inputs)) return;
  const std::optional<Violation> found = find_cuda_violation(op, inputs);
  if (!found) return;
  // What comes after an assertion is garbage. An access outside of memory may pass unnoticed.
  if (found->rule->on_cuda == OnCuda::kAsserts) saw_cuda_.store(false);
  violation({&op.schema, c10::ArrayRef<c10::IValue>(inputs.data(), inputs.size()), &*found}, thread);
}

void Recorder::end_call(const at::RecordFunction& fn, ThreadState& thread) {
  thread.current = nullptr;
  DeadObjects dead;                        // goes after the lock
  std::lock_guard<std::mutex> lock(mutex_);
  if (!session_ || !is_recording() || thread.session != session_number_) return;
  const OpEntry& op = *thread.op;
  const bool threw = fn.outputs().empty() && (op.returns > 0 || std::uncaught_exceptions() > thread.uncaught);
  buffer_.start(threw ? RecordType::kThrew : RecordType::kFinished);
  buffer_.varint(session_->calls_made - 1 - thread.call);
  if (threw) {
    buffer_.string(thread.thrown_type);
    buffer_.string(thread.thrown_message);
  } else {
    const c10::ArrayRef<const c10::IValue> outputs = last(c10::ArrayRef<const c10::IValue>(fn.outputs().data(), fn.outputs().size()), op.returns);
    buffer_.varint(outputs.size());
    session_->encoder.set_arguments(&thread.arguments);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      session_->encoder.value(outputs[i],
                              op.leaves_content_open       ? Encoder::Role::kOpenResult
                              : op.returns_argument[i]     ? Encoder::Role::kSameObjectResult
                                                           : Encoder::Role::kResult,
                              buffer_);
  }
  append();
  session_->identities.sweep(dead);
}

void Recorder::violation(const ViolationEvent& event, ThreadState& thread) {
  OpEntry* op = ops_.find(*event.schema);
  if (op == nullptr) return;
  const c10::ArrayRef<const c10::IValue> inputs(event.arguments.data(), event.arguments.size());
  SourceInfo* source = thread.current == nullptr ? find_source() : nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!is_recording()) return;
  // Outside of every recorded call (the operator was called below the dispatcher's front) the operator is a call of its own.
  if (thread.current == nullptr && !begin(*op, inputs, source, std::nullopt, thread)) return;
  if (!session_ || thread.session != session_number_ || !define(*op)) return;
  buffer_.start(RecordType::kViolation);
  buffer_.varint(session_->calls_made - 1 - thread.call);
  buffer_.varint(op->number);
  buffer_.string(event.violation->rule->id);
  buffer_.string(event.violation->text);
  buffer_.string(event.violation->printed.file);
  buffer_.string(printed_expression(*event.violation, SchemaCallView(*event.schema, event.arguments)));
  buffer_.varint(op->arguments);
  std::vector<const c10::TensorImpl*> unused;
  session_->encoder.set_arguments(&unused);
  const std::string_view checked = event.violation->rule->argument;
  for (std::size_t i = 0; i < op->arguments; ++i) {
    if (i >= inputs.size()) {
      buffer_.tag(trace_format::ValueTag::kNone);
      continue;
    }
    const bool is_checked = asserts::is_one_of(op->schema.arguments()[i].name(), checked);
    session_->encoder.value(inputs[i], is_checked ? Encoder::Role::kEvidenceChecked : Encoder::Role::kEvidence, buffer_);
  }
  append();
}

void Recorder::exception(const std::string& type, const std::string& message, const SourceInfo& where) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (session() == nullptr || !is_recording()) return;
  buffer_.start(RecordType::kException);
  buffer_.string(type);
  buffer_.string(message);
  buffer_.string(where.file);
  buffer_.varint(static_cast<uint64_t>(where.line));
  buffer_.string(where.function);
  buffer_.string(where.text);
  append();
}

void Recorder::close() {
  state_.store(State::kStopped);
  std::lock_guard<std::mutex> lock(mutex_);
  // The session's tables stay: weak pointers of theirs must not be dropped while LibTorch is taking itself apart.
  if (session_) session_->calls->close();
}

void Recorder::after_fork_in_child() {
  if (session_) {
    session_->calls->abandon();
    (void)session_.release();              // its tables may be in the middle of nothing, but their weak pointers are not worth a destructor in a fork's child
  }
  ++session_number_;
  ops_.unlock();
  mutex_.unlock();
}

}  // namespace minrepro
