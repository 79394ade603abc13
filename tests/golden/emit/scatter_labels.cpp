// aten::scatter_
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto one_hot = torch::zeros({1, 2}, device);
  auto labels = torch::tensor({2}, torch::kLong).view({1, 1}).to(device);
  one_hot.scatter_(/*dim=*/1, labels, /*value=*/1.0);

  std::cout << one_hot.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
