#include <gmock/gmock.h>

#include "tests/oracle/worker_under_test.h"

/// Crashes, hangs and greed of programs cost only their own child.
namespace minrepro {
namespace {

class Contained : public WithWorker {
 protected:
  void TearDown() override { EXPECT_EQ(run(gather(5, 1)).kind, FailureKind::kNone) << "the worker has to be unharmed"; }
};

TEST_F(Contained, SignalNamesTheCallThatRaisedIt) {
  const Outcome outcome = run(kDivideMinimum);
  EXPECT_EQ(outcome.kind, FailureKind::kSignal);
  EXPECT_EQ(outcome.message, "SIGFPE");
  EXPECT_EQ(outcome.call, 1);
  EXPECT_EQ(outcome.op, "aten::div.Tensor_mode");
  EXPECT_EQ(signature_of(outcome), (Signature{FailureKind::kSignal, "aten::div", "SIGFPE"}));
}

TEST_F(Contained, SegmentationFault) {
  const Outcome outcome = run(kCrash);
  EXPECT_EQ(outcome.kind, FailureKind::kSignal);
  EXPECT_EQ(outcome.message, "SIGSEGV");
  EXPECT_EQ(outcome.call, 0);
}

std::string allocates(int64_t bytes) {
  return R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "float32", "shape": [1], "constant": 0}],
      "calls": [{"op": "aten::repeat", "args": {"self": {"tensor": 0}, "repeats": [)" + std::to_string(bytes / 4) + R"(]}, "results": [1]}]})";
}

/// Swaps two rows of B: the first and `row`, counted from one. Rows take 4 bytes.
std::string swaps_with_row(int64_t row) {
  return R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "float32", "shape": [1, 1], "constant": 0},
      {"id": 1, "dtype": "int64", "shape": [1], "values": [)" + std::to_string(row) + R"(]}, {"id": 2, "dtype": "float32", "shape": [1, 1], "constant": 0}],
      "calls": [{"op": "aten::linalg_ldl_solve", "args": {"LD": {"tensor": 0}, "pivots": {"tensor": 1}, "B": {"tensor": 2}}, "results": [3]}]})";
}

RunLimits with_room() {
  RunLimits limits;
  limits.tensor_room = int64_t{128} << 20;
  return limits;
}

TEST_F(Contained, RoomTellsAnAccessThatAlwaysCrashesFromOneByChance) {
  constexpr int64_t kNear = int64_t{1} << 22;
  constexpr int64_t kFar = int64_t{1} << 28;
  EXPECT_EQ(run(swaps_with_row(kNear)).message, "SIGSEGV") << "beyond the worker's own heap";
  for (const int64_t sign : {1, -1}) {
    EXPECT_EQ(run(swaps_with_row(sign * kNear), with_room()).kind, FailureKind::kNone);
    EXPECT_EQ(run(swaps_with_row(sign * kFar), with_room()).message, "SIGSEGV");
  }
}

TEST_F(Contained, RoomKeepsTheHeapFromDamage) {
  // Row 0 lies just before B, in malloc's own block: without room, what that does hangs on the heap's contents (SIGABRT here, SIGSEGV elsewhere).
  EXPECT_EQ(run(swaps_with_row(0), with_room()).kind, FailureKind::kNone);
}

TEST_F(Contained, RoomPutsNoTensorWhereAPowerOfTwoLeads) {
  // An index of 4-byte elements into the gradient: each is out of bounds by a power of two, where neighbours at such distances would be hit.
  for (int bits = 26; bits <= 40; ++bits) {
    const std::string program = R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "float32", "shape": [1, 1, 1, 1], "constant": 1},
        {"id": 1, "dtype": "float32", "shape": [1, 1, 2, 2], "constant": 1}, {"id": 2, "dtype": "int64", "shape": [1, 1, 1, 1], "values": [)" +
        std::to_string(-(int64_t{1} << bits)) + R"(]}], "calls": [{"op": "aten::max_pool2d_with_indices_backward", "args": {"grad_output": {"tensor": 0},
        "self": {"tensor": 1}, "kernel_size": [2, 2], "stride": [2, 2], "padding": [0, 0], "dilation": [1, 1], "ceil_mode": false, "indices": {"tensor": 2}},
        "results": [3]}]})";
    EXPECT_EQ(run(program, with_room()).message, "SIGSEGV") << "2^" << bits;
  }
}

TEST_F(Contained, RoomForMoreTensorsThanThereAreAddresses) {
  Program program = program_of(gather(5, 1));
  const Call call = program.calls.front();
  for (int i = 0; i < 3000; ++i) {
    program.calls.push_back(call);
    program.calls.back().results = {3 + i};
  }
  EXPECT_EQ(run({program}, with_room()).front().kind, FailureKind::kNone);
}

TEST_F(Contained, RoomCostsNoneOfTheProgramsMemory) {
  RunLimits limits = with_room();
  limits.memory_bytes = int64_t{64} << 20;
  EXPECT_EQ(run(gather(5, 1), limits).kind, FailureKind::kNone);
  EXPECT_EQ(run(allocates(int64_t{32} << 20), limits).kind, FailureKind::kNone);
  EXPECT_EQ(run(allocates(int64_t{128} << 20), limits).kind, FailureKind::kOutOfMemory);
}

TEST_F(Contained, HangEndsAtItsLimit) {
  RunLimits limits;
  limits.seconds = 0.5;
  const Outcome outcome = run(kNeverReturns, limits);
  EXPECT_EQ(outcome.kind, FailureKind::kHang);
  EXPECT_EQ(outcome.call, 0);
  EXPECT_EQ(outcome.op, "aten::random_.from");
  EXPECT_THAT(outcome.message, testing::HasSubstr("time limit of 0.5 s"));
}

TEST_F(Contained, GreedyLeavesAreRefusedBeforeTheyAreMade) {
  const Outcome outcome = run(R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "float64", "shape": [1000000, 1000000], "constant": 0}],
    "calls": [{"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [1]}]})");
  EXPECT_EQ(outcome.kind, FailureKind::kOutOfMemory);
  EXPECT_THAT(outcome.message, testing::HasSubstr("8000000000000 bytes"));
}

TEST_F(Contained, GreedyCallRunsOutOfMemory) {
  RunLimits limits;
  limits.memory_bytes = 1 << 30;
  for (bool contained : {true, false}) {
    limits.contained = contained;
    const Outcome outcome = run(allocates(int64_t{4} << 30), limits);
    EXPECT_EQ(outcome.kind, FailureKind::kOutOfMemory) << outcome.message;
    EXPECT_EQ(outcome.call, 0);
    EXPECT_EQ(outcome.op, "aten::repeat");
  }
}

TEST_F(Contained, OutcomesComeInTheOrderOfPrograms) {
  RunLimits limits;
  limits.seconds = 1;
  std::vector<Program> programs;
  for (int i = 0; i < 3; ++i)
    for (std::string_view text : {std::string_view(kNeverReturns), std::string_view(kDivideMinimum)}) {
      programs.push_back(program_of(text));
      programs.push_back(program_of(gather(5, 1)));
      programs.push_back(program_of(gather(5, 7)));
    }
  const std::vector<Outcome> outcomes = run(programs, limits);
  std::vector<FailureKind> kinds;
  for (const Outcome& outcome : outcomes) kinds.push_back(outcome.kind);
  std::vector<FailureKind> expected;
  for (int i = 0; i < 3; ++i)
    for (FailureKind first : {FailureKind::kHang, FailureKind::kSignal})
      expected.insert(expected.end(), {first, FailureKind::kNone, FailureKind::kException});
  EXPECT_EQ(kinds, expected);
}

TEST_F(Contained, UncontainedDeathIsAskedAgainInAChild) {
  RunLimits limits;
  limits.contained = false;
  limits.seconds = 1;
  const std::vector<Outcome> outcomes =
      run({program_of(gather(5, 1)), program_of(kDivideMinimum), program_of(gather(5, 7)), program_of(kNeverReturns), program_of(gather(5, 1))}, limits);
  EXPECT_EQ(outcomes[0].kind, FailureKind::kNone);
  EXPECT_EQ(outcomes[1].kind, FailureKind::kSignal);
  EXPECT_EQ(outcomes[1].call, 1);
  EXPECT_EQ(outcomes[2].kind, FailureKind::kException);
  EXPECT_EQ(outcomes[3].kind, FailureKind::kHang);
  EXPECT_EQ(outcomes[4].kind, FailureKind::kNone);
}

}  // namespace
}  // namespace minrepro
