// aten::embedding: index holds 1 at [0]; dimension 0 of self has size 1, so only 0 is allowed
// Expect on CUDA: Indexing.cu, Assertion `srcIndex < srcSelectDimSize` failed.
// Seen on a simulated CUDA device, not verified on CUDA.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto weight = torch::zeros({1, 1}, device);
  auto indices = torch::ones({1}, torch::dtype(torch::kLong).device(device));
  auto result = torch::embedding(weight, indices);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
