// aten::upsample_nearest2d
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/torch.h>

#include <iostream>
#include <vector>

// Calls an operator by its registered name; returns all tensors among its results.
std::vector<at::Tensor> call(const char* name, const char* overload, std::vector<c10::IValue> stack) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).callBoxed(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) results.push_back(value.toTensor());
    if (value.isTensorList())
      for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
  }
  return results;
}

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  torch::manual_seed(0);
  auto input = torch::randn({1, 2, 5, 5}).to(device);
  torch::manual_seed(1);
  auto weight = torch::randn({3, 2, 3, 3}).to(device);
  auto convolution = call("aten::convolution", "",
      {input, weight, /*bias=*/c10::IValue(), /*stride=*/c10::List<int64_t>({1, 1}),
      /*padding=*/c10::List<int64_t>({0, 0}), /*dilation=*/c10::List<int64_t>({1, 1}), /*transposed=*/false,
      /*output_padding=*/c10::List<int64_t>({0, 0}), /*groups=*/1})[0];
  auto result = call("aten::upsample_nearest2d", "vec",
      {convolution, /*output_size=*/c10::IValue(), /*scale_factors=*/c10::List<double>({2.0, 2.0})})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
