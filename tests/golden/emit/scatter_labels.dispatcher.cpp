// aten::scatter_
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

  auto one_hot = torch::zeros({1, 2}, device);
  auto labels = torch::tensor({2}, torch::kLong).view({1, 1}).to(device);
  call("aten::scatter_", "value", {one_hot, /*dim=*/1, labels, /*value=*/1.0});

  std::cout << one_hot.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
