// aten::cross_entropy_loss
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto logits = torch::zeros({1, 3}, device);
  auto labels = torch::tensor({3}, torch::kLong).to(device);
  auto weight = torch::tensor({0.1, 0.2, 0.7}).to(device);
  auto result = torch::cross_entropy_loss(logits, labels, weight, /*reduction=*/1, /*ignore_index=*/-1);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
