// aten::cross_entropy_loss
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

  auto logits = torch::zeros({1, 3}, device);
  auto labels = torch::tensor({3}, torch::kLong).to(device);
  auto weight = torch::tensor({0.1, 0.2, 0.7}).to(device);
  auto result = call("aten::cross_entropy_loss", "",
      {logits, labels, weight, /*reduction=*/1, /*ignore_index=*/-1, /*label_smoothing=*/0.0})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
