#include <gtest/gtest.h>

#include <csignal>

#include "harness/failure/transcript.h"

namespace minrepro {
namespace {

int exited(int status) { return status << 8; }  // as waitpid encodes it

constexpr char kAssert[] = "/p/ScatterGatherKernel.cu:144: operator(): block: [0,0,0], thread: [1,0,0] Assertion `some_new_check` failed.\n";

TEST(ProcessOutcome, GoodEnd) {
  EXPECT_EQ(outcome_of_process(exited(0), false, "UserWarning: all fine\n").kind, FailureKind::kNone);
  EXPECT_EQ(outcome_of_process(exited(0), false, "Traceback (most recent call last):\n  x\nValueError: caught and logged\n").kind, FailureKind::kNone);
}

TEST(ProcessOutcome, AssertLineOutranksWhatFollows) {
  for (int status : {exited(0), exited(1), SIGABRT, SIGSEGV}) {
    const Outcome outcome = outcome_of_process(status, false, std::string(kAssert) + "terminate called after throwing an instance of 'c10::Error'\n  what():  x\n");
    EXPECT_EQ(outcome.kind, FailureKind::kDeviceAssert);
    EXPECT_EQ(outcome.file, "ScatterGatherKernel.cu");
    EXPECT_EQ(outcome.expression, "some_new_check");
    EXPECT_EQ(outcome.op, "");
  }
}

TEST(ProcessOutcome, SimulatedDeviceNamesTheKernelOfAnIllegalAccess) {
  const Outcome outcome = outcome_of_process(exited(1), false,
                                             "minrepro-sim: (simulated) in aten::embedding_dense_backward: embedding_dense_backward.indices: indices holds 7\n"
                                             "RuntimeError: CUDA error: an illegal memory access was encountered\n");
  EXPECT_EQ(outcome.kind, FailureKind::kIllegalAccess);
  EXPECT_EQ(outcome.op, "aten::embedding_dense_backward");
  EXPECT_EQ(outcome.rule, "embedding_dense_backward.indices");
  EXPECT_EQ(outcome.message, "indices holds 7");
  EXPECT_EQ(to_text(signature_of(outcome)), "illegal access in aten::embedding_dense_backward (Embedding.cu: embedding_backward_feature_kernel)");
  // A note of a silent rule is none.
  EXPECT_EQ(outcome_of_process(exited(0), false, "minrepro-sim: note: in aten::x: y\n").kind, FailureKind::kNone);
}

TEST(ProcessOutcome, DeviceErrorWithoutAssertLine) {
  const Outcome aborted = outcome_of_process(SIGABRT, false,
                                             "terminate called after throwing an instance of 'c10::AcceleratorError'\n  what():  CUDA error: device-side assert "
                                             "triggered\nSearch for `cudaErrorAssert' in …\n");
  EXPECT_EQ(aborted.kind, FailureKind::kDeviceAssert);
  EXPECT_EQ(aborted.exception_type, "c10::AcceleratorError");
  const Outcome python = outcome_of_process(exited(1), false,
                                            "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    x.cpu()\nRuntimeError: CUDA error: an illegal memory "
                                            "access was encountered\nCUDA kernel errors might be …\n");
  EXPECT_EQ(python.kind, FailureKind::kIllegalAccess);
}

TEST(ProcessOutcome, TerminateIsTheExceptionBeforeIt) {
  const Outcome outcome = outcome_of_process(SIGABRT, false,
                                             "terminate called after throwing an instance of 'c10::IndexError'\n  what():  index 5 is out of bounds for dimension 0 with size "
                                             "3\nException raised from f at a.cpp:3 (most recent call first):\nframe #0: 0x1\n");
  EXPECT_EQ(outcome.kind, FailureKind::kException);
  EXPECT_EQ(outcome.exception_type, "c10::IndexError");
  EXPECT_EQ(outcome.message, "index 5 is out of bounds for dimension 0 with size 3");
  const Outcome libcxx = outcome_of_process(SIGABRT, false, "libc++abi: terminating due to uncaught exception of type std::out_of_range: vector\n");
  EXPECT_EQ(libcxx.exception_type, "std::out_of_range");
  EXPECT_EQ(libcxx.message, "vector");
}

TEST(ProcessOutcome, LastTracebackCounts) {
  const Outcome outcome = outcome_of_process(exited(1), false,
                                             "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'\n\nDuring handling of the above exception, another "
                                             "exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 2, in f\n    g()\n    ~^^\ntorch.OutOfMemoryError: no "
                                             "room\nfor it\n");
  EXPECT_EQ(outcome.kind, FailureKind::kException);
  EXPECT_EQ(outcome.exception_type, "torch.OutOfMemoryError");
  EXPECT_EQ(outcome.message, "no room\nfor it");
}

TEST(ProcessOutcome, SignalsAreTheirOwnFailure) {
  const Outcome outcome = outcome_of_process(SIGSEGV, false, "Traceback (most recent call last):\n  x\nValueError: caught and logged\n");
  EXPECT_EQ(outcome.kind, FailureKind::kSignal);
  EXPECT_EQ(outcome.message, "SIGSEGV");
  EXPECT_EQ(outcome_of_process(SIGABRT, false, "free(): invalid pointer\n").message, "SIGABRT");
  EXPECT_EQ(outcome_of_process(SIGFPE | 0x80, false, "").message, "SIGFPE");  // with a core dump
  EXPECT_EQ(outcome_of_process(exited(128 + SIGSEGV), false, "Segmentation fault\n").message, "SIGSEGV");
}

TEST(ProcessOutcome, TimeAndMemory) {
  EXPECT_EQ(outcome_of_process(SIGKILL, true, "").kind, FailureKind::kHang);
  EXPECT_EQ(outcome_of_process(SIGABRT, false, "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n").kind, FailureKind::kOutOfMemory);
}

TEST(ProcessOutcome, BareExitStatus) {
  const Outcome outcome = outcome_of_process(exited(3), false, "no such file\n");
  EXPECT_EQ(outcome.kind, FailureKind::kException);
  EXPECT_EQ(outcome.message, "exit status 3");
}

}  // namespace
}  // namespace minrepro
