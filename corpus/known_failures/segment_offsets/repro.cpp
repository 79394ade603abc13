// aten::segment_reduce: SIGSEGV
// Expect: SIGSEGV in aten::segment_reduce.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cpu");

  auto data = torch::zeros({1}, device);
  auto offsets = torch::tensor({0, 67108863}, torch::kLong).to(device);
  torch::segment_reduce(data, "sum", /*lengths=*/std::nullopt, /*indices=*/std::nullopt, offsets);

  std::cout << data << '\n';
}
