// aten::index
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

  auto input = torch::zeros({2, 3, 4}, device);
  auto index = torch::tensor({0, 3}, torch::kLong).to(device);
  auto index2 = torch::ones({}, torch::dtype(torch::kLong).device(device));
  auto index3 = call("aten::index", "Tensor",
      {input, c10::List<std::optional<at::Tensor>>({std::nullopt, index})})[0];
  auto index4 = call("aten::index", "Tensor", {index3, c10::List<std::optional<at::Tensor>>({index2})})[0];
  auto result = call("aten::index", "Tensor", {index4, c10::List<std::optional<at::Tensor>>({index2, index2})})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
