// minrepro record as a parent of the command.
#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/base/files.h"
#include "tests/support/command.h"

namespace minrepro {
namespace {

TEST(Record, ACommandThatStopsItselfIsEndedWhenItsTimeIsUp) {
  const auto folder = TemporaryFolder::create("record");
  // In a session without a terminal, as in CI.
  const Ran ran = run_command_line({"/usr/bin/setsid", "--wait", MINREPRO_BUILD_DIR "/minrepro", "record", "--time", "1", "-o", folder->path() + "/a.trace", "--",
                                    "/bin/sh", "-c", "kill -STOP $$"}, "", 60);
  EXPECT_EQ(ran.status, 124) << ran.error;
}

TEST(Record, WithoutAGpuTheSimulatedDeviceIsOffered) {
  if (access("/dev/nvidiactl", R_OK) == 0) GTEST_SKIP() << "there is a GPU";
  const auto folder = TemporaryFolder::create("record");
  const Ran ran = run_minrepro({"record", "-o", folder->path() + "/a.trace", "--", MINREPRO_PYTHON, "-c", "import torch; torch.zeros(1, device='cuda')"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.error, testing::HasSubstr("minrepro record --simulate -- "));
}

TEST(Record, TheSummaryQuotesTheAssertionThatThisCallPrints) {
  const auto folder = TemporaryFolder::create("record");
  const auto recorded = [&](const std::string& culprit) {
    return run_minrepro({"record", "--simulate", "-o", folder->path() + "/a.trace", "--", MINREPRO_PYTHON, "-c",
                         "import torch\nx = torch.ones(10, 16, device='cuda')\n" + culprit + "\ntorch.cuda.synchronize()"})
        .error;
  };
  // Rows of 64 bytes are gathered by a kernel of their own, and the message is the caller's.
  const std::string of_wide_rows = recorded("x[torch.tensor([3, 10], device='cuda')]");
  EXPECT_THAT(of_wide_rows, testing::ContainsRegex("IndexKernelUtils.cu:[0-9]+: vectorized_gather_kernel: .* Assertion `ind >=0 && ind < ind_dim_size"));
  EXPECT_THAT(of_wide_rows, testing::HasSubstr("  on CUDA: IndexKernelUtils.cu, `ind >=0 && ind < ind_dim_size"));
  EXPECT_THAT(recorded("torch._assert_async((x > 1).all(), 'x is too small')"), testing::HasSubstr(", `x is too small` (simulated)"));
}

/// What is recorded of a script whose data set fails in a worker process for index 5.
Ran with_workers(const TemporaryFolder& folder, const std::string& failing_line) {
  const std::string script = folder.path() + "/load.py";
  EXPECT_TRUE(write_file(script, R"(import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        row = torch.arange(4)
        if i == 5:
            )" + failing_line + R"(
        return row

if __name__ == "__main__":
    for batch in DataLoader(Rows(), batch_size=2, num_workers=2):
        batch.sum()
)").ok());
  return run_minrepro({"record", "-o", folder.path() + "/load.trace", "--", MINREPRO_PYTHON, script}, folder.path());
}

TEST(Record, AnExceptionInAWorkerProcessIsTracedToTheWorkersCall) {
  const auto folder = TemporaryFolder::create("record");
  const Ran ran = with_workers(*folder, "row.index_select(0, torch.tensor([i]))");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.error, testing::HasSubstr("load.py:11, row.index_select(0, torch.tensor([i])) → aten::index_select"));
  const Ran reduced = run_minrepro({"reduce", folder->path() + "/load.trace", "--no-verify"}, folder->path());
  EXPECT_EQ(reduced.status, 0) << reduced.error;
  EXPECT_THAT(reduced.error, testing::HasSubstr("exception in aten::index_select"));
}

TEST(Record, ACrashInAWorkerProcessIsTracedToTheWorkersCall) {
  const auto folder = TemporaryFolder::create("record");
  const Ran ran = with_workers(*folder, "torch.segment_reduce(torch.ones(4), 'sum', offsets=torch.tensor([0, 2**40]), axis=0)");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.error, testing::HasSubstr("→ aten::segment_reduce"));
  const Ran reduced = run_minrepro({"reduce", folder->path() + "/load.trace", "--no-verify"}, folder->path());
  EXPECT_EQ(reduced.status, 0) << reduced.error;
  EXPECT_THAT(reduced.error, testing::HasSubstr("signal in aten::segment_reduce (SIGSEGV)"));
}

}  // namespace
}  // namespace minrepro
