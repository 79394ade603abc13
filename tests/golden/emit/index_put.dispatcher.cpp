// aten::index_put_
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

  auto input = torch::zeros({3, 2}, device);
  auto index = torch::tensor({1, 2}, torch::kLong).to(device);
  auto values = torch::full({}, 1.5, device);
  call("aten::index_put_", "",
      {input, c10::List<std::optional<at::Tensor>>({std::nullopt, index}), values, /*accumulate=*/true});

  std::cout << input.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
