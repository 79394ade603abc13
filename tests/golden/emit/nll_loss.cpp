// aten::nll_loss_forward
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  torch::manual_seed(1);
  auto log_probs = torch::randn({2, 3}).to(device);
  auto labels = torch::tensor({1, 7}, torch::kLong).to(device);
  auto [output, total_weight] = torch::nll_loss_forward(log_probs, labels, /*weight=*/std::nullopt, /*reduction=*/1,
      /*ignore_index=*/-100);

  std::cout << output.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
