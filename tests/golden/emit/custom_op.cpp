// my_ops::window
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <iostream>
#include <limits>
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
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* library : {"build/libmy_ops.so"}) {
    if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      std::cerr << "cannot load the custom operators: " << dlerror() << '\n';
      return 2;
    }
  }

  auto table = torch::zeros({2, 3}, device);
  auto other = torch::tensor({2}, torch::kLong).to(device);
  auto gather_rows = call("my_ops::gather_rows", "", {table, other, /*scale=*/nan})[0];
  auto result = call("my_ops::window", "out",
      {gather_rows, c10::List<int64_t>({2, 3}), c10::List<std::string>({"a", "b\"\n"}),
      /*weights=*/c10::List<double>({0.5}), /*flags=*/c10::List<bool>({true}), "mean",
      c10::List<std::optional<at::Tensor>>({std::nullopt, other}), torch::Device(torch::kCPU)});

  std::cout << result[0].cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
