// aten::index_select
#include <torch/torch.h>

#include <iostream>

at::Generator make_generator(const torch::Device& device, uint64_t seed) {
  const torch::Device owner = device.is_cuda() ? device : torch::Device(torch::kCPU);
  at::Generator generator = at::globalContext().defaultGenerator(owner).clone();
  generator.set_current_seed(seed);
  return generator;
}

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto probs = torch::tensor({0.25, 0.75}).to(device);
  torch::manual_seed(1);
  auto index = torch::randint(2, {3}, torch::kLong).to(device);
  torch::manual_seed(2);
  auto input = torch::zeros({2, 2}, torch::kHalf).to(device).t().copy_(torch::randn({2, 2}, torch::kHalf).to(device));
  torch::manual_seed(7);
  probs.multinomial(/*num_samples=*/2);
  probs.multinomial(/*num_samples=*/2, /*replacement=*/true, make_generator(device, 42));
  auto result = input.index_select(/*dim=*/0, index);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
