// aten::neg
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

  torch::manual_seed(42);
  auto input = torch::randn({5}).to(device);
  auto topk = call("aten::topk", "", {input, /*k=*/2, /*dim=*/-1, /*largest=*/false, /*sorted=*/true});
  auto parts = call("aten::split", "sizes", {topk[0], /*split_size=*/c10::List<int64_t>({1, 1}), /*dim=*/0});
  auto sort = call("aten::sort", "", {parts[1], /*dim=*/-1, /*descending=*/false});
  auto add = call("aten::add", "Tensor", {parts[0], sort[1], /*alpha=*/2})[0];
  call("aten::neg_", "", {add});
  auto result = call("aten::neg", "", {add})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
