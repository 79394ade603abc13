// aten::multinomial: self holds nothing but 0; a weight > 0 is needed
// Expect on CUDA: MultinomialKernel.cu, Assertion `!(val < zero)` failed.
// Seen on a simulated CUDA device, not verified on CUDA.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto probs = torch::zeros({1}, device);
  auto result = probs.multinomial(/*num_samples=*/2, /*replacement=*/true);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
