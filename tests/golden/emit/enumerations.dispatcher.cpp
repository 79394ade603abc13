// aten::to_sparse
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

  auto input = torch::zeros({1, 2, 2, 2}, device);
  auto to_copy = call("aten::_to_copy", "",
      {input, torch::kBFloat16, /*layout=*/c10::IValue(), /*device=*/c10::IValue(), /*pin_memory=*/c10::IValue(),
      /*non_blocking=*/false, torch::MemoryFormat::ChannelsLast})[0];
  auto div = call("aten::div", "Tensor_mode", {to_copy, input, "floor"})[0];
  auto result = call("aten::to_sparse", "",
      {div, torch::kSparseCsr, /*blocksize=*/c10::IValue(), /*dense_dim=*/c10::IValue()})[0];

  std::cout << result.cpu().sizes() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
