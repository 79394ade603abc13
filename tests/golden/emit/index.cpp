// aten::index
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto input = torch::zeros({2, 3, 4}, device);
  auto index = torch::tensor({0, 3}, torch::kLong).to(device);
  auto index2 = torch::ones({}, torch::dtype(torch::kLong).device(device));
  auto index3 = input.index({torch::indexing::Slice(), index});
  auto index4 = index3.index(c10::List<std::optional<at::Tensor>>({index2}));
  auto result = index4.index(c10::List<std::optional<at::Tensor>>({index2, index2}));

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
