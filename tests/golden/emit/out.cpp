// aten::topk
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto x = torch::zeros({2}, device);
  auto y = torch::ones({2}, device);
  auto out = torch::empty({0}, device);
  auto values = torch::empty({0}, device);
  auto indices = torch::empty({0}, torch::dtype(torch::kLong).device(device));
  torch::add_out(out, x, y, /*alpha=*/3);
  torch::topk_out(values, indices, out, /*k=*/1);

  std::cout << values.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
