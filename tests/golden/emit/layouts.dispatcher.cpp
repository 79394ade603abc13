// aten::cat
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

  auto part = torch::tensor({{1.0, 3.0, 5.0}, {2.0, 4.0, 6.0}}).to(device).t();
  torch::manual_seed(3);
  auto part2 = torch::zeros({2, 2, 2}).to(device).permute({2, 0, 1}).copy_(torch::randn({2, 2, 2}).to(device));
  auto part3 = torch::tensor({4, 9}, torch::kLong).view({2, 1}).to(device).expand({2, 3});
  auto part4 = torch::tensor({1.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 4.0}).to(device).as_strided({2, 2}, {5, 2});
  auto part5 = part4.as_strided({2}, {2}, 1);
  auto part6 = torch::empty({0}, device).as_strided({0, 3}, {7, 2});
  auto result = call("aten::cat", "",
      {c10::List<at::Tensor>({part, part2, part3, part4, part5, part6}), /*dim=*/0})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
