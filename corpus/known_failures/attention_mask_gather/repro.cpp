// aten::gather: index holds 1 at [0]; dimension 0 of self has size 1, so only 0 is allowed
// Expect on CUDA: ScatterGatherKernel.cu, Assertion `idx_dim >= 0 && idx_dim < index_size && "scatter gather kernel index out of bounds"` failed.
// Seen on a simulated CUDA device, not verified on CUDA.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto input = torch::zeros({1}, device);
  auto index = torch::ones({1}, torch::dtype(torch::kLong).device(device));
  auto result = input.gather(/*dim=*/0, index);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
