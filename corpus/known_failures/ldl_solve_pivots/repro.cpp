// aten::linalg_ldl_solve: SIGSEGV
// Expect: SIGSEGV in aten::linalg_ldl_solve.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cpu");

  auto LD = torch::zeros({1, 1}, device);
  auto pivots = torch::tensor({67108863}, torch::kLong).to(device);
  auto B = torch::zeros({1, 1}, device);
  torch::linalg_ldl_solve(LD, pivots, B);

  std::cout << LD << '\n';
}
