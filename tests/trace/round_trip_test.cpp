#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <limits>

#include "tests/trace/hand_made_trace.h"

namespace minrepro {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Tag = trace_format::ValueTag;

Trace read(const HandMadeTrace& t) {
  Result<Trace> trace = t.read();
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message);
  return trace.ok() ? std::move(*trace) : Trace();
}

TEST(TraceRoundTrip, ACallComesBackAsItWasWritten) {
  HandMadeTrace t;
  const int gather = t.op(kGather);
  const int line = t.source("/home/a/train.py", 37, "x.gather(1, i)");
  t.start_call(gather, 4, line, 3);
  t.tensor(7, {2, 5});
  t.integer(1);
  t.tensor(8, {2, 1}, {0, 9});
  t.out.tag(Tag::kFalse);
  t.append();
  t.start_finished(0, 1);
  t.tensor(9, {2, 1});
  t.append();

  const Trace trace = read(t);
  EXPECT_EQ(trace.pid, 123);
  EXPECT_EQ(trace.torch_version, "2.11.0");
  EXPECT_TRUE(trace.simulated);
  ASSERT_EQ(trace.calls.size(), 1u);
  const TraceCall& call = trace.calls[0];
  EXPECT_EQ(trace.ops[static_cast<std::size_t>(call.op)].name, "aten::gather");
  EXPECT_EQ(call.thread, 3);
  EXPECT_EQ(call.state, CallState::kFinished);
  EXPECT_EQ(trace.sources[static_cast<std::size_t>(call.source)], (SourceLine{"/home/a/train.py", 37, "main", "x.gather(1, i)"}));
  ASSERT_EQ(call.args.size(), 4u);
  EXPECT_EQ(call.args[1], Value(int64_t{1}));
  EXPECT_EQ(call.args[3], Value(false));
  const TraceTensor& index = trace.tensors[static_cast<std::size_t>(call.args[2].get_if<TensorRef>()->id)];
  EXPECT_EQ(index.meta.dtype, DType::kInt64);
  EXPECT_THAT(index.meta.sizes, ElementsAre(2, 1));
  EXPECT_THAT(index.meta.strides, ElementsAre(1, 1));
  EXPECT_EQ(index.device, "sim");
  EXPECT_EQ(index.storage, 8u);
  ASSERT_TRUE(index.data.has_value());
  EXPECT_EQ(read_integer(DType::kInt64, index.data->data() + 8), 9);
  const TraceTensor& self = trace.tensors[static_cast<std::size_t>(call.args[0].get_if<TensorRef>()->id)];
  EXPECT_FALSE(self.data.has_value());
}

TEST(TraceRoundTrip, EveryKindOfValueAndTheSchemaTellsWhatAnIntegerMeans) {
  HandMadeTrace t;
  const int op = t.op("aten::all(SymInt[] a, ScalarType? b, Layout? c, Device? d, bool? e, MemoryFormat? f, Scalar g, Scalar h, str i, Generator? j, Foo k, "
                      "Tensor?[] l, float[] m, ScalarType[] n) -> ()");
  t.start_call(op, 14);
  t.out.tag(Tag::kInts);
  t.out.varint(3);
  for (const int64_t v : {std::numeric_limits<int64_t>::min(), int64_t{-1}, std::numeric_limits<int64_t>::max()}) t.out.signed_varint(v);
  t.integer(static_cast<int64_t>(DType::kBFloat16));
  t.integer(1);
  t.out.tag(Tag::kDevice);
  t.out.byte(1);
  t.out.varint(3);
  t.out.tag(Tag::kTrue);
  t.integer(2);
  t.out.tag(Tag::kDouble);
  t.out.number(1e-300);
  t.out.tag(Tag::kComplex);
  t.out.number(1.5);
  t.out.number(-0.0);
  t.out.tag(Tag::kString);
  t.out.string("mean");
  t.out.tag(Tag::kGenerator);
  t.out.varint(std::numeric_limits<uint64_t>::max());
  t.out.tag(Tag::kOpaque);
  t.out.string("Foo");
  t.out.tag(Tag::kList);
  t.out.varint(2);
  t.out.tag(Tag::kNone);
  t.tensor(4, {});
  t.out.tag(Tag::kList);
  t.out.varint(0);
  t.out.tag(Tag::kInts);
  t.out.varint(1);
  t.out.signed_varint(6);
  t.append();

  const Trace trace = read(t);
  ASSERT_EQ(trace.calls.size(), 1u);
  EXPECT_THAT(trace.calls[0].args,
              ElementsAre(Value(Value::List{std::numeric_limits<int64_t>::min(), int64_t{-1}, std::numeric_limits<int64_t>::max()}),
                          Value(DTypeValue{DType::kBFloat16}), Value(LayoutValue{"sparse"}), Value(DeviceValue{"cuda:2"}), Value(true),
                          Value(MemoryFormatValue{"channels_last"}), Value(1e-300), Value(std::complex<double>(1.5, -0.0)), Value(std::string("mean")),
                          Value(GeneratorValue{std::numeric_limits<uint64_t>::max()}), Value(OpaqueValue{"Foo"}), Value(Value::List{None{}, TensorRef{0}}),
                          Value(Value::List{}), Value(Value::List{DTypeValue{DType::kFloat32}})));
}

TEST(TraceRoundTrip, StridesOffsetsViewsAndSparseParts) {
  using namespace trace_format;
  HandMadeTrace t;
  t.start_call(t.op(kNeg), 1);
  t.out.tag(Tag::kTensor);
  t.out.byte(kHasOffset | kHasStorage | kIsView | kRequiresGrad);
  t.out.byte(static_cast<uint8_t>(DType::kFloat32));
  t.out.byte(0);
  t.out.varint(0);
  t.out.varint(2);
  t.out.varint(3);
  t.out.varint(4);
  t.out.signed_varint(1);
  t.out.signed_varint(0);
  t.out.varint(11);
  t.out.varint(12);
  t.out.varint(5);
  t.append();
  t.start_call(0, 1);
  t.out.tag(Tag::kTensor);
  t.out.byte(kIsNotStrided);
  t.out.byte(static_cast<uint8_t>(DType::kFloat32));
  t.out.byte(0);
  t.out.varint(0);
  t.out.varint(1);
  t.out.varint(3);
  t.out.varint(20);
  t.out.byte(1);
  t.out.varint(1);
  t.out.byte(kIsContiguous | kHasStorage);
  t.out.byte(static_cast<uint8_t>(DType::kInt64));
  t.out.byte(0);
  t.out.varint(0);
  t.out.varint(1);
  t.out.varint(3);
  t.out.varint(21);
  t.out.varint(22);
  t.append();

  const Trace trace = read(t);
  ASSERT_EQ(trace.calls.size(), 2u);
  const TraceTensor& view = trace.tensors[static_cast<std::size_t>(trace.calls[0].args[0].get_if<TensorRef>()->id)];
  EXPECT_THAT(view.meta.strides, ElementsAre(1, 0));
  EXPECT_EQ(view.storage_offset, 5);
  EXPECT_TRUE(view.is_view && view.requires_grad && !view.is_wrapped_number);
  EXPECT_EQ(view.device, "cpu");
  const TraceTensor& sparse = trace.tensors[static_cast<std::size_t>(trace.calls[1].args[0].get_if<TensorRef>()->id)];
  EXPECT_EQ(sparse.meta.layout, "sparse");
  EXPECT_EQ(sparse.storage, 0u);
  ASSERT_EQ(sparse.components.size(), 1u);
  EXPECT_EQ(trace.tensors[static_cast<std::size_t>(sparse.components[0])].storage, 21u);
}

TEST(TraceRoundTrip, CapturedDataInTheDataFileIsSharedBetweenItsMentions) {
  HandMadeTrace t;
  const std::vector<int64_t> values(100, 42);
  const Result<uint64_t> offset = t.data().append(values.data(), 800);
  ASSERT_TRUE(offset.ok());
  t.op(kNeg);
  for (int i = 0; i < 2; ++i) {
    t.start_call(0, 1);
    t.out.tag(Tag::kTensor);
    t.out.byte(trace_format::kIsContiguous | trace_format::kHasStorage | trace_format::kHasData);
    t.out.byte(static_cast<uint8_t>(DType::kInt64));
    t.out.byte(0);
    t.out.varint(0);
    t.out.varint(1);
    t.out.varint(100);
    t.out.varint(1);
    t.out.varint(2);
    t.out.varint(1600);
    t.out.varint(*offset);
    t.append();
  }
  const Trace trace = read(t);
  ASSERT_EQ(trace.tensors.size(), 2u);
  ASSERT_TRUE(trace.tensors[0].data && trace.tensors[1].data);
  EXPECT_EQ(trace.tensors[0].data.shared(), trace.tensors[1].data.shared());
  EXPECT_EQ(read_integer(DType::kInt64, trace.tensors[0].data->data() + 792), 42);

  t.out.start(HandMadeTrace::Type::kForgotten);
  t.out.varint(800);
  t.append();
  const Trace later = read(t);
  ASSERT_EQ(later.tensors.size(), 2u);
  EXPECT_FALSE(later.tensors[0].data.has_value());           // what was dropped is not there, not zeros
}

TEST(TraceRoundTrip, LargeFilesGrowAndAreCutAtTheEnd) {
  HandMadeTrace t;
  t.op(kNeg);
  for (int i = 0; i < 100'000; ++i) {
    t.start_call(0, 1);
    t.tensor(static_cast<uint64_t>(i), {64, 64});
    t.append();
    t.start_finished(0, 1);
    t.tensor(static_cast<uint64_t>(i) + 1, {64, 64});
    t.append();
  }
  const uint64_t written = t.calls().size();
  EXPECT_GT(fs::file_size(t.calls_path()), written);
  EXPECT_EQ(read(t).calls.size(), 100'000u);
  t.calls().close();
  EXPECT_EQ(fs::file_size(t.calls_path()), written);
  const Trace trace = read(t);
  ASSERT_EQ(trace.calls.size(), 100'000u);
  EXPECT_EQ(trace.calls.back().state, CallState::kFinished);
}

TEST(TraceRoundTrip, WhatWasAppendedSurvivesSigkill) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  ASSERT_TRUE(folder.ok());
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto file = CallsFile::create(folder->path(), getpid());
    RecordBuffer out;
    out.start(trace_format::RecordType::kOp);
    out.string(kNeg);
    if (!file || !(*file)->append(out.bytes())) _exit(1);
    for (int i = 0; i < 1000; ++i) {
      out.start(trace_format::RecordType::kCall);
      for (const int number : {0, 0, 0, 0, 1}) out.byte(static_cast<uint8_t>(number));
      out.tag(Tag::kNone);
      if (!(*file)->append(out.bytes())) _exit(1);
    }
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  const Result<Trace> trace = read_trace(folder->path());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->calls.size(), 1000u);
}

TEST(TraceRoundTrip, ACutOffLastRecordIsDroppedWithoutAWord) {
  HandMadeTrace t;
  t.op(kNeg);
  for (int i = 0; i < 2; ++i) {
    t.start_call(0, 1);
    t.tensor(1, {4});
    t.append();
  }
  t.calls().close();
  const auto size = fs::file_size(t.calls_path());
  for (std::uintmax_t cut = 1; cut < 16; ++cut) {
    fs::resize_file(t.calls_path(), size - cut);
    const Result<Trace> trace = t.read();
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_LE(trace->calls.size(), 2u);
    EXPECT_GE(trace->calls.size(), 1u);
  }
}

TEST(TraceRoundTrip, ALimitOnTheFilesSizeIsAnErrorAndNoSignal) {
  const pid_t child = fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::create("minrepro-trace");
    if (!folder) _exit(2);
    const rlimit limit{2 << 20, 2 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
    auto file = CallsFile::create(folder->path(), 1);
    if (!file) _exit(4);
    const std::string record(1000, '\1');
    for (int i = 0; i < 10'000; ++i)
      if (const Status status = (*file)->append(record); !status) _exit(status.error().message.find("File too large") != std::string::npos ? 0 : 5);
    _exit(6);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(TraceRoundTrip, AProgramThatReplacesItselfGetsAFileOfItsOwn) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  const auto first = CallsFile::create(folder->path(), 5);
  const auto second = CallsFile::create(folder->path(), 5);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*second)->path(), folder->path() + "/calls.5.2");
  const Result<Trace> trace = read_trace(folder->path());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->processes, 2);
}

}  // namespace
}  // namespace minrepro
