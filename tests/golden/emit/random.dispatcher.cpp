// aten::index_select
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

at::Generator make_generator(const torch::Device& device, uint64_t seed) {
  const torch::Device owner = device.is_cuda() ? device : torch::Device(torch::kCPU);
  at::Generator generator = at::globalContext().defaultGenerator(owner).clone();
  generator.set_current_seed(seed);
  return generator;
}

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto probs = torch::tensor({0.25, 0.75}).to(device);
  torch::manual_seed(1);
  auto index = torch::randint(2, {3}, torch::kLong).to(device);
  torch::manual_seed(2);
  auto input = torch::zeros({2, 2}, torch::kHalf).to(device).t().copy_(torch::randn({2, 2}, torch::kHalf).to(device));
  torch::manual_seed(7);
  call("aten::multinomial", "", {probs, /*num_samples=*/2, /*replacement=*/false, /*generator=*/c10::IValue()});
  call("aten::multinomial", "", {probs, /*num_samples=*/2, /*replacement=*/true, make_generator(device, 42)});
  auto result = call("aten::index_select", "", {input, /*dim=*/0, index})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
