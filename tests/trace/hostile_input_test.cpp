#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "harness/trace/run_info.h"
#include "harness/trace/trace_folder.h"
#include "tests/trace/hand_made_trace.h"

namespace minrepro {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;
using Tag = trace_format::ValueTag;

void overwrite(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << content;
}

/// A trace with a bit of everything in it.
void fill(HandMadeTrace& t) {
  const std::vector<int64_t> values(100, 42);
  const uint64_t offset = *t.data().append(values.data(), 800);
  const int neg = t.op(kNeg);
  const int gather = t.op(kGather);
  const int empty = t.op(kEmpty);
  const int line = t.source("train.py", 3, "x");
  for (int i = 0; i < 4; ++i) {
    t.start_call(neg, 1, line);
    t.tensor(1, {4, 3});
    t.append();
    t.start_finished(0, 1);
    t.tensor(2, {4, 3});
    t.append();
  }
  t.start_call(empty, 6);
  t.out.tag(Tag::kInts);
  t.out.varint(2);
  t.out.signed_varint(-1);
  t.out.signed_varint(3);
  t.integer(6);
  t.integer(0);
  t.out.tag(Tag::kDevice);
  t.out.byte(0);
  t.out.varint(0);
  t.out.tag(Tag::kNone);
  t.integer(1);
  t.append();
  const auto arguments = [&] {
    t.tensor(3, {2, 5});
    t.integer(1);
    t.out.tag(Tag::kTensor);
    t.out.byte(trace_format::kIsContiguous | trace_format::kHasStorage | trace_format::kHasData);
    t.out.byte(static_cast<uint8_t>(DType::kInt64));
    t.out.byte(20);
    t.out.varint(0);
    t.out.varint(1);
    t.out.varint(100);
    t.out.varint(1);
    t.out.varint(2);
    t.out.varint(1600);
    t.out.varint(offset);
    t.out.tag(Tag::kList);
    t.out.varint(1);
    t.out.tag(Tag::kString);
    t.out.string("abc");
  };
  t.start_call(gather, 4, line);
  arguments();
  t.append();
  t.out.start(HandMadeTrace::Type::kViolation);
  t.out.varint(0);
  t.out.varint(static_cast<uint64_t>(gather));
  t.out.string("gather.index");
  t.out.string("index holds 42");
  t.out.string("ScatterGatherKernel.cu");
  t.out.string("i < n");
  t.out.varint(4);
  arguments();
  t.append();
  t.threw(0, "c10::Error", "bad");
  t.exception("RuntimeError", "bad", "train.py", 3);
}

TEST(HostileTrace, ThousandsOfMutationsNeverCrashTheReader) {
  HandMadeTrace t;
  fill(t);
  t.calls().close();
  const std::string good = *read_file(t.calls_path());
  ASSERT_TRUE(t.read().ok());
  std::mt19937_64 random(7);
  int errors = 0;
  int readable = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bad = good;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const std::size_t at = sizeof(trace_format::FileHeader) * (random() % 8 != 0) + random() % (bad.size() - sizeof(trace_format::FileHeader));
      switch (random() % 5) {
        case 0: bad[at] = static_cast<char>(random()); break;
        case 1: bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8)); break;
        case 2: bad[at] = static_cast<char>(0xFF); break;
        case 3: bad.resize(std::max(at, sizeof(trace_format::FileHeader) + 1)); break;
        default: bad.insert(at, std::string(random() % 9, static_cast<char>(random()))); break;
      }
    }
    overwrite(t.calls_path(), bad);
    const Result<Trace> trace = t.read();
    if (!trace) {
      ++errors;
      EXPECT_THAT(trace.error().message, StartsWith(t.calls_path() + ": byte "));
      continue;
    }
    ++readable;
    for (const TraceCall& call : trace->calls) {
      ASSERT_LT(static_cast<std::size_t>(call.op), trace->ops.size());
      ASSERT_LT(call.source, static_cast<int>(trace->sources.size()));
      for (const Value& value : call.args)
        for (const int id : tensors_in(value)) ASSERT_LT(static_cast<std::size_t>(id), trace->tensors.size());
    }
    for (const TraceViolation& violation : trace->violations) ASSERT_LT(static_cast<std::size_t>(violation.call), trace->calls.size());
    (void)failure_of(*trace);
  }
  EXPECT_GT(errors, 1000);                       // the mutations do reach what is checked
  EXPECT_GT(readable, 100);
}

/// The error of a trace whose last record is `t.out`.
std::string error_of_last(HandMadeTrace& t) {
  t.append();
  const Result<Trace> trace = t.read();
  return trace.ok() ? "no error" : trace.error().message;
}

TEST(HostileTrace, CountsCannotAskForMoreThanTheFileHolds) {
  HandMadeTrace t;
  t.op(kNeg);
  t.start_call(0, uint64_t{1} << 60);
  EXPECT_THAT(error_of_last(t), HasSubstr("arguments in 0 bytes"));
}

TEST(HostileTrace, SizesThatOverflowAreRefused) {
  HandMadeTrace t;
  t.op(kNeg);
  t.start_call(0, 1);
  t.tensor(1, {uint64_t{1} << 40, uint64_t{1} << 40, uint64_t{1} << 40});
  EXPECT_THAT(error_of_last(t), HasSubstr("sizes that no memory can hold"));
}

TEST(HostileTrace, NestingHasALimit) {
  HandMadeTrace t;
  t.op(kNeg);
  t.start_call(0, 1);
  for (int i = 0; i < 100'000; ++i) {
    t.out.tag(Tag::kList);
    t.out.varint(1);
  }
  t.out.tag(Tag::kNone);
  EXPECT_THAT(error_of_last(t), HasSubstr("nested too deep"));
}

TEST(HostileTrace, OverlappingDataCannotBeUsedToFillMemory) {
  HandMadeTrace t;
  const std::vector<int64_t> values(1000, 42);
  ASSERT_TRUE(t.data().append(values.data(), 8000).ok());
  t.op(kNeg);
  for (uint64_t i = 0; i < 3; ++i) {
    t.start_call(0, 1);
    t.out.tag(Tag::kTensor);
    t.out.byte(trace_format::kIsContiguous | trace_format::kHasStorage | trace_format::kHasData);
    t.out.byte(static_cast<uint8_t>(DType::kInt64));
    t.out.byte(0);
    t.out.varint(0);
    t.out.varint(1);
    t.out.varint(900);
    t.out.varint(1);
    t.out.varint(2);
    t.out.varint(900 * 8 * 2);
    t.out.varint(i);
    if (i < 2) t.append();
  }
  EXPECT_THAT(error_of_last(t), HasSubstr("captured data overlaps"));
}

TEST(HostileTrace, AFileThatClaimsToBeATerabyteTakesNoMemory) {
  HandMadeTrace t;
  t.op(kNeg);
  ASSERT_TRUE(t.data().append("x", 1).ok());
  t.calls().close();
  const off_t terabyte = off_t{1} << 40;
  ASSERT_EQ(truncate(t.calls_path().c_str(), terabyte), 0);
  ASSERT_EQ(truncate((t.folder() + "/data.123").c_str(), terabyte), 0);
  const Result<Trace> trace = t.read();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->ops.size(), 1u);
}

TEST(HostileTrace, ATensorOfHolesIsRefused) {
  HandMadeTrace t;
  ASSERT_TRUE(t.data().append("x", 1).ok());
  ASSERT_EQ(truncate((t.folder() + "/data.123").c_str(), off_t{1} << 40), 0);
  t.op(kNeg);
  t.start_call(0, 1);
  t.out.tag(Tag::kTensor);
  t.out.byte(trace_format::kIsContiguous | trace_format::kHasStorage | trace_format::kHasData);
  t.out.byte(static_cast<uint8_t>(DType::kInt64));
  t.out.byte(0);
  t.out.varint(0);
  t.out.varint(1);
  t.out.varint(uint64_t{1} << 36);
  t.out.varint(1);
  t.out.varint(2);
  t.out.varint(uint64_t{1} << 37);                // one byte each
  t.out.varint(0);
  EXPECT_THAT(error_of_last(t), HasSubstr("far more than the data file has on the disk"));
}

TEST(HostileTrace, WhatATerminalWouldObeyIsNotShown) {
  HandMadeTrace t;
  const int neg = t.op(kNeg);
  const int line = t.source("\x1b]0;title\x07.py", 3, "x = 'caf\xc3\xa9' \xff\xc3 \xe2\x80\xae");
  t.start_call(neg, 1, line);
  t.tensor(1, {2});
  t.append();
  t.threw(0, "c10::Error", "two\nlines\x1b[2J");
  t.exception("RuntimeError", "\x9b" "0m", "a\nb.py", 1);
  const Result<Trace> trace = t.read();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->sources[0].file, "?]0;title?.py");
  EXPECT_EQ(trace->sources[0].text, "x = 'caf\xc3\xa9' ?? ?");
  EXPECT_EQ(trace->calls[0].message, "two\nlines?[2J");
  EXPECT_EQ(trace->exception->message, "?0m");
  EXPECT_EQ(trace->exception->where.file, "a?b.py");
}

TEST(HostileTrace, ACallMayEndOnce) {
  HandMadeTrace t;
  t.op(kNeg);
  t.start_call(0, 1);
  t.tensor(1, {2});
  t.append();
  t.threw(0, "", "");
  t.start_finished(0, 0);
  EXPECT_THAT(error_of_last(t), HasSubstr("a call ends twice"));
}

TEST(HostileTrace, ALinkOutOfTheFolderIsRefused) {
  HandMadeTrace t;
  t.calls().close();
  for (const std::string name : {"calls.9", "data.123", "run.json"}) {
    const std::string path = t.folder() + "/" + name;
    ASSERT_EQ(symlink("/etc/passwd", path.c_str()), 0);
    const Result<Trace> trace = t.read();
    ASSERT_FALSE(trace.ok()) << name;
    EXPECT_EQ(trace.error().message, path + ": is a symbolic link; a trace holds plain files only");
    fs::remove(path);
  }
}

TEST(HostileTrace, APipeInThePlaceOfAFileDoesNotStopUs) {
  HandMadeTrace t;
  ASSERT_EQ(mkfifo((t.folder() + "/calls.9").c_str(), 0600), 0);
  const Result<Trace> trace = t.read();
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, HasSubstr("no plain file"));
}

TEST(HostileTrace, SomethingElseIsNoTrace) {
  const auto folder = TemporaryFolder::create("minrepro-trace");
  EXPECT_FALSE(is_trace(folder->path()));
  EXPECT_FALSE(read_trace(folder->path()).ok());
  EXPECT_THAT(read_trace("/nowhere/at/all").error().message, HasSubstr("cannot read '/nowhere/at/all'"));
  overwrite(folder->path() + "/calls.1", "This is a text about calls. It is not a trace.");
  EXPECT_THAT(read_trace(folder->path()).error().message, HasSubstr("calls.1: byte 0: this is no trace of minrepro"));
}

TEST(HostileTrace, RunJsonIsChecked) {
  HandMadeTrace t;
  for (const std::string text : {"", "[]", "{\"command\": 3}", "{\"command\": [1]}", "{\"wait_status\": \"x\"}", "{\"timed_out\": 1}", "{"}) {
    overwrite(t.folder() + "/run.json", text);
    const Result<Trace> trace = t.read();
    ASSERT_FALSE(trace.ok()) << text;
    EXPECT_THAT(trace.error().message, HasSubstr("run.json: "));
  }
}

}  // namespace
}  // namespace minrepro
