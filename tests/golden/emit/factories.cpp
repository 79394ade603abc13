// aten::stack
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto arange = torch::arange(/*start=*/0, /*end=*/6, /*step=*/2, torch::dtype(torch::kFloat).device(device));
  auto zeros = torch::zeros({3}, device);
  auto full = torch::full({3}, /*fill_value=*/2, torch::kLong);
  auto to = full.to(torch::Device(device.type(), 0), torch::kHalf);
  auto result = torch::stack({arange, zeros, to}, /*dim=*/1);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
