// aten::index_put_
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto input = torch::zeros({3, 2}, device);
  auto index = torch::tensor({1, 2}, torch::kLong).to(device);
  auto values = torch::full({}, 1.5, device);
  input.index_put_({std::nullopt, index}, values, /*accumulate=*/true);

  std::cout << input.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
