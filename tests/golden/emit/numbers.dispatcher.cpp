// aten::mul
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

  auto x = torch::tensor({1.0, 2.0}, torch::kHalf).to(device);
  auto y = torch::tensor(0.1, torch::kDouble);
  y.unsafeGetTensorImpl()->set_wrapped_number(true);  // a plain number: it takes no part in type promotion
  auto y2 = torch::tensor(2.0);
  auto mul = call("aten::mul", "Tensor", {x, y})[0];
  auto result = call("aten::mul", "Tensor", {mul, y2})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
