// aten::div: SIGFPE
// Expect: SIGFPE in aten::div.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cpu");

  auto x = torch::tensor({-2147483648L}, torch::kInt).to(device);
  auto y = torch::tensor({-1}, torch::kInt).to(device);
  x.div(y, "trunc");

  std::cout << x << '\n';
}
