// aten::gather
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto input = torch::ones({2, 3}, device);
  auto index = torch::tensor({1, 7}, torch::kLong).view({2, 1}).to(device);
  auto result = input.gather(/*dim=*/1, index);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
