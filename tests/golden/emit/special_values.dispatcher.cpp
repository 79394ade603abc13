// aten::masked_fill_
#include <ATen/core/dispatch/Dispatcher.h>
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
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  auto x = torch::tensor({nan, inf, -inf, -0.0, 3.402823466e+38}).to(device);
  auto mask = torch::tensor({std::numeric_limits<int64_t>::min(), 9223372036854775807L, -2147483648L}, torch::kLong)
      .to(device);
  auto unused = torch::tensor({-2147483648L, 0L}, torch::kInt).to(device);
  auto y = torch::tensor(5e-324, torch::kDouble).to(device);
  auto add = call("aten::add", "Tensor", {x, y, /*alpha=*/1})[0];
  call("aten::masked_fill_", "Scalar", {add, mask, /*value=*/-inf});

  std::cout << add.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
