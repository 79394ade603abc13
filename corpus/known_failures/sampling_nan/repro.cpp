// aten::multinomial: self holds nan at [0] (1 of 1 elements); finite weights >= 0 are allowed
// Expect on CUDA: MultinomialKernel.cu, Assertion `cumdist[size - 1] > static_cast<scalar_t>(0)` failed.
// Seen on a simulated CUDA device, not verified on CUDA.
#include <torch/torch.h>

#include <iostream>
#include <limits>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  auto probs = torch::tensor({nan}).to(device);
  auto result = probs.multinomial(/*num_samples=*/2, /*replacement=*/true);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
