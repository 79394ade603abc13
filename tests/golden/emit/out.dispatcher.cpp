// aten::topk
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

  auto x = torch::zeros({2}, device);
  auto y = torch::ones({2}, device);
  auto out = torch::empty({0}, device);
  auto values = torch::empty({0}, device);
  auto indices = torch::empty({0}, torch::dtype(torch::kLong).device(device));
  call("aten::add", "out", {x, y, /*alpha=*/3, out});
  call("aten::topk", "values", {out, /*k=*/1, /*dim=*/-1, /*largest=*/true, /*sorted=*/true, values, indices});

  std::cout << values.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
