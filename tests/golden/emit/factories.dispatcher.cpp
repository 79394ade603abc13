// aten::stack
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

  auto arange = call("aten::arange", "start_step",
      {/*start=*/0, /*end=*/6, /*step=*/2, torch::kFloat, /*layout=*/c10::IValue(), device, /*pin_memory=*/false})[0];
  auto zeros = call("aten::zeros", "",
      {c10::List<int64_t>({3}), /*dtype=*/c10::IValue(), torch::kStrided, device, /*pin_memory=*/c10::IValue()})[0];
  auto full = call("aten::full", "",
      {c10::List<int64_t>({3}), /*fill_value=*/2, torch::kLong, /*layout=*/c10::IValue(), torch::Device(torch::kCPU),
      /*pin_memory=*/c10::IValue()})[0];
  auto to = call("aten::to", "device",
      {full, torch::Device(device.type(), 0), torch::kHalf, /*non_blocking=*/false, /*copy=*/false,
      /*memory_format=*/c10::IValue()})[0];
  auto result = call("aten::stack", "", {c10::List<at::Tensor>({arange, zeros, to}), /*dim=*/1})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
