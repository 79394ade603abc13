#include "harness/failure/transcript.h"

#include <gtest/gtest.h>

#include <ostream>

namespace minrepro {
namespace {

struct Form {
  const char* name;
  const char* text;
  const char* file;
  int line;
  const char* function;
  const char* expression;
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

const Form kForms[] = {
    {"NoFunction",
     "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1284: block: [0,0,0], thread: [3,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n",
     "Indexing.cu", 1284, "", "srcIndex < srcSelectDimSize"},
    {"OperatorCall",
     "../aten/src/ATen/native/cuda/ScatterGatherKernel.cu:144: operator(): block: [0,0,0], thread: [1,0,0] Assertion `idx_dim >= 0 && idx_dim < index_size "
     "&& \"index out of bounds\"` failed.",
     "ScatterGatherKernel.cu", 144, "operator()", "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""},
    {"Lambda",
     "/pytorch/aten/src/ATen/native/cuda/IndexKernel.cu:111: at::native::index_kernel(at::TensorIteratorBase &, c10::ArrayRef<long>)::[lambda(char *, const char *, "
     "long) (instance 1)]::operator()(int) const: block: [12,0,0], thread: [64,0,0] Assertion `-sizes[i] <= index && index < sizes[i] && \"index out of "
     "bounds\"` failed.",
     "IndexKernel.cu", 111,
     "at::native::index_kernel(at::TensorIteratorBase &, c10::ArrayRef<long>)::[lambda(char *, const char *, long) (instance 1)]::operator()(int) const",
     "-sizes[i] <= index && index < sizes[i] && \"index out of bounds\""},
    {"LambdaOfInt",
     "/pytorch/aten/src/ATen/native/cuda/IndexKernel.cu:92: operator()::operator()(int): block: [0,0,0], thread: [9,0,0] Assertion `index >= -sizes[i]` failed.",
     "IndexKernel.cu", 92, "operator()::operator()(int)", "index >= -sizes[i]"},
    {"NullFunction", "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: (null): block: [0,0,0], thread: [0,0,0] Assertion `t >= 0 && t < n_classes` failed.\n",
     "Loss.cu", 245, "", "t >= 0 && t < n_classes"},
    {"TemplateFunction",
     "/opt/conda/conda-bld/pytorch_1587428091666/work/aten/src/THCUNN/ClassNLLCriterion.cu:108: void cunn_ClassNLLCriterion_updateOutput_kernel(Dtype *, Dtype *, "
     "long *) [with Dtype = float, Acctype = float]: block: [0,0,0], thread: [2,0,0] Assertion `t >= 0 && t < n_classes` failed.",
     "ClassNLLCriterion.cu", 108,
     "void cunn_ClassNLLCriterion_updateOutput_kernel(Dtype *, Dtype *, long *) [with Dtype = float, Acctype = float]", "t >= 0 && t < n_classes"},
    {"WindowsBackslashes",
     "C:\\actions-runner\\_work\\pytorch\\pytorch\\pytorch\\aten\\src\\ATen\\native\\cuda\\Indexing.cu:1255: block: [0,0,0], thread: [96,0,0] Assertion `srcIndex "
     "< srcSelectDimSize` failed.\r\n",
     "Indexing.cu", 1255, "", "srcIndex < srcSelectDimSize"},
    {"WindowsSlashes", "C:/w/b/windows/pytorch/aten/src/ATen/native/cuda/Loss.cu:106: block: [88,0,0], thread: [63,0,0] Assertion `input_val >= zero && input_val <= one` failed.",
     "Loss.cu", 106, "", "input_val >= zero && input_val <= one"},
    {"RankPrefix", "[rank3]: 2024-05-01 12:00:07 /pytorch/aten/src/ATen/native/cuda/TensorCompare.cu:112: _assert_async_cuda_kernel: block: [0,0,0], thread: [0,0,0] "
                   "Assertion `probability tensor contains either `inf`, `nan` or element < 0` failed.",
     "TensorCompare.cu", 112, "_assert_async_cuda_kernel", "probability tensor contains either `inf`, `nan` or element < 0"},
    {"BehindProgressBar", "Epoch 1:  12%|#2   | 3/25 [00:01<00:12,  1.70it/s]/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: "
                          "[0,0,0], thread: [5,0,0] Assertion `t >= 0 && t < n_classes` failed.",
     "Loss.cu", 245, "nll_loss_forward_reduce_cuda_kernel_2d", "t >= 0 && t < n_classes"},
    {"Hip", "/root/pytorch/aten/src/ATen/native/hip/ScatterGatherKernel.hip:135: operator(): Device-side assertion `idx_dim >= 0 && idx_dim < index_size' failed.\n:0:rocdevice.cpp",
     "ScatterGatherKernel.hip", 135, "operator()", "idx_dim >= 0 && idx_dim < index_size"},
    {"AfterOtherLines", "step 0: loss 1.2\nwarning: x.py:12: UserWarning: hello\nrows.cu:31: gather_rows: block: [0,0,0], thread: [0,0,0] Assertion `r < n` failed.\nTraceback\n",
     "rows.cu", 31, "gather_rows", "r < n"},
    {"Header", "/usr/local/include/my_op/check.cuh:7: check<float>: block: [1,2,3], thread: [4,5,6] Assertion `x == x` failed.", "check.cuh", 7, "check<float>",
     "x == x"},
    {"WithAMessage", "[CUDA_KERNEL_ASSERT] /pytorch/aten/src/ATen/native/cuda/Repeat.cu:20: compute_cuda_kernel: block: [0,0,0], thread: [0,0,0]: Assertion failed: "
                     "`result_size == cumsum_ptr[size - 1]`: Invalid input! In `repeat_interleave`, the `output_size` argument (5) must be the same as the sum",
     "Repeat.cu", 20, "compute_cuda_kernel", "result_size == cumsum_ptr[size - 1]"},
    {"WithoutAText", "/pytorch/aten/src/ATen/native/cuda/TensorCompare.cu:109: _assert_async_cuda_kernel: block: [0,0,0], thread: [0,0,0] Assertion `` failed.",
     "TensorCompare.cu", 109, "_assert_async_cuda_kernel", ""},
};

class AssertForms : public testing::TestWithParam<Form> {};

TEST_P(AssertForms, AreRead) {
  const auto line = find_assert_line(GetParam().text);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->file, GetParam().file);
  EXPECT_EQ(line->line, GetParam().line);
  EXPECT_EQ(line->function, GetParam().function);
  EXPECT_EQ(line->expression, GetParam().expression);
  EXPECT_FALSE(find_simulated_violation(GetParam().text));
}
INSTANTIATE_TEST_SUITE_P(Transcripts, AssertForms, testing::ValuesIn(kForms), [](const auto& form) { return form.param.name; });

TEST(SimulatedViolation, NamesOperatorAndRule) {
  const auto line = find_simulated_violation(
      "ScatterGatherKernel.cu:144: operator(): block: [0,0,0], thread: [1,0,0] Assertion `idx_dim >= 0` failed.\n"
      "ScatterGatherKernel.cu:144: operator(): block: [0,0,0], thread: [2,0,0] Assertion `idx_dim >= 0` failed.\n"
      "minrepro-sim: (simulated) in aten::scatter.value_out: scatter.index: index holds 2 … 13: 2 are allowed\n");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->op, "aten::scatter.value_out");
  EXPECT_EQ(line->rule, "scatter.index");
  EXPECT_EQ(line->text, "index holds 2 … 13: 2 are allowed");
}

TEST(AssertLine, HostAssertIsNone) {
  EXPECT_FALSE(find_assert_line("a.out: main.cpp:3: int main(): Assertion `x > 0' failed.\nAborted\n"));
  EXPECT_FALSE(find_assert_line(""));
  EXPECT_FALSE(find_assert_line("Assertion `"));
  EXPECT_FALSE(find_assert_line("12:00:00 thread: [0,0,0] Assertion `x` failed."));
}

TEST(AssertLine, AnyCutIsReadWithoutHarm) {
  for (const Form& form : kForms) {
    const std::string text = form.text;
    const std::size_t whole = text.rfind(" failed");
    for (std::size_t size = 0; size < whole; ++size) EXPECT_FALSE(find_assert_line(text.substr(0, size))) << form.name << " cut at " << size;
  }
}

TEST(ErrorText, KindsAreTold) {
  EXPECT_EQ(kind_of_error_text("RuntimeError: CUDA error: device-side assert triggered\n"), FailureKind::kDeviceAssert);
  EXPECT_EQ(kind_of_error_text("CUDA error: an illegal memory access was encountered"), FailureKind::kIllegalAccess);
  EXPECT_EQ(kind_of_error_text("CUDA error: misaligned address"), FailureKind::kIllegalAccess);
  EXPECT_EQ(kind_of_error_text("CUDA out of memory. Tried to allocate 2.00 GiB"), FailureKind::kOutOfMemory);
  EXPECT_EQ(kind_of_error_text("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes."),
            FailureKind::kOutOfMemory);
  EXPECT_EQ(kind_of_error_text("index 5 is out of bounds"), FailureKind::kNone);
}

TEST(SignalName, KnownAndUnknown) {
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(8), "SIGFPE");
  EXPECT_EQ(signal_name(63), "signal 63");
}

}  // namespace
}  // namespace minrepro
