// aten::cross_entropy_loss: target holds 1 at [0]; self has 1 class, so only 0 is allowed (or ignore_index -100)
// Expect on CUDA: Loss.cu, Assertion `t >= 0 && t < n_classes` failed.
// Seen on a simulated CUDA device, not verified on CUDA.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto logits = torch::zeros({1, 1}, device);
  auto labels = torch::ones({1}, torch::dtype(torch::kLong).device(device));
  auto result = torch::cross_entropy_loss(logits, labels);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
