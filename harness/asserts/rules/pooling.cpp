#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

constexpr std::string_view kUnpool = "The indices are not those of a max pooling of the output's size.";
constexpr std::string_view kNotForward = "The indices are not those of the forward call, or were changed after it.";
constexpr std::string_view kPass = "pass the indices that the pooling returned, unchanged";

}  // namespace

std::vector<AssertRule> pooling() {
  return {
      {.id = "max_unpool2d.indices",
       .ops = {"aten::max_unpool2d"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "output_size", .dim = 2,
       .file = "MaxUnpooling.cu", .line = 47, .function = "max_unpooling2d_forward_kernel",
       .expression = "maxind >= 0 && maxind < outputImageSize", .read_in = k2_11, .cause = kUnpool,
       .mend = "use the indices that max_pool2d(…, return_indices=True) gave, with output_size=x.size()", .dtypes = {DType::kInt64}, .cut = Cut::kInt32},
      {.id = "max_unpool3d.indices",
       .ops = {"aten::max_unpool3d"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "output_size", .dim = 3,
       .file = "MaxUnpooling.cu", .line = 69, .function = "max_unpooling3d_forward_kernel",
       .expression = "index >= 0 && index < outputImageSize", .read_in = k2_11, .cause = kUnpool,
       .mend = "use the indices that max_pool3d(…, return_indices=True) gave, with output_size=x.size()", .dtypes = {DType::kInt64}},
      {.id = "fractional_max_pool2d_backward.indices",
       .ops = {"aten::fractional_max_pool2d_backward"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "self", .dim = 2,
       .file = "FractionalMaxPool2d.cu", .line = 123, .function = "fractional_max_pool2d_backward_out_cuda_frame",
       .expression = "inputH < gradInput.size(2)", .read_in = k2_11,
       .also_prints = {{.file = "FractionalMaxPool2d.cu", .expression = "index >= 0", .line = 120,
                        .function = "fractional_max_pool2d_backward_out_cuda_frame", .of_negative = true}},
       .cause = kNotForward, .mend = kPass, .dtypes = {DType::kInt64}, .cut = Cut::kInt32},
      {.id = "fractional_max_pool3d_backward.indices",
       .ops = {"aten::fractional_max_pool3d_backward"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "self", .dim = 3,
       .file = "FractionalMaxPool3d.cu", .line = 146, .function = "fractional_max_pool3d_backward_out_frame",
       .expression = "inputT < gradInput.size(2)", .read_in = k2_11,
       .also_prints = {{.file = "FractionalMaxPool3d.cu", .expression = "index >= 0", .line = 140,
                        .function = "fractional_max_pool3d_backward_out_frame", .of_negative = true}},
       .cause = kNotForward, .mend = kPass, .dtypes = {DType::kInt64}},
      {.id = "adaptive_max_pool2d_backward.indices",
       .ops = {"aten::adaptive_max_pool2d_backward"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "self", .dim = 2,
       .file = "AdaptiveMaxPooling2d.cu", .line = 196, .function = "atomicadaptivemaxgradinput", .read_in = k2_6, .cause = kNotForward, .mend = kPass,
       .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64}, .cut = Cut::kInt32},
      {.id = "adaptive_max_pool3d_backward.indices",
       .ops = {"aten::adaptive_max_pool3d_backward"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "self", .dim = 3,
       .file = "AdaptiveMaxPooling3d.cu", .line = 273, .function = "atomicadaptivemaxgradinput", .read_in = k2_6, .cause = kNotForward, .mend = kPass,
       .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64}},
      {.id = "adaptive_max_pool_backward.count",
       .ops = {"aten::adaptive_max_pool2d_backward", "aten::adaptive_max_pool3d_backward"},
       .argument = "indices", .domain = Domain::kElements, .bound = BoundKind::kNumel, .bound_argument = "grad_output",
       .file = "AdaptiveMaxPooling2d.cu", .line = 112, .function = "adaptivemaxgradinput", .read_in = k2_6,
       .cause = "There are fewer indices than the gradient has elements.", .mend = kPass, .on_cuda = OnCuda::kIllegalAccess, .no_stand_in = true,
       .dtypes = {DType::kInt64}},
      {.id = "max_pool3d_backward.indices",  // -1 is skipped
       .ops = {"aten::max_pool3d_with_indices_backward"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "self", .dim = 3,
       .file = "DilatedMaxPool3d.cu", .line = 228, .function = "max_pool3d_with_indices_backward_single_out_frame", .read_in = k2_6, .cause = kNotForward,
       .mend = kPass, .on_cuda = OnCuda::kIllegalAccess, .dtypes = {DType::kInt64}, .lowest = -1},
      {.id = "max_pool2d_backward.indices",  // the kernel compares them with the pixel that it fills, and no more
       .ops = {"aten::max_pool2d_with_indices_backward"},
       .argument = "indices", .bound = BoundKind::kProduct, .bound_argument = "self", .dim = 2,
       .file = "DilatedMaxPool2d.cu", .line = 197, .function = "max_pool_backward_nchw", .read_in = k2_6,
       .cause = "The indices are not those of the forward call: their gradient is lost.", .mend = kPass, .on_cuda = OnCuda::kSilent,
       .dtypes = {DType::kInt64}, .lowest = -1},
  };
}

}  // namespace minrepro::rules
