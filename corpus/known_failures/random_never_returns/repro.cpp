// aten::random_ never returns
// Expect: it never returns from aten::random_.
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cpu");

  auto input = torch::zeros({1}, device);
  input.random_(/*from=*/9223372036854775807, /*to=*/std::optional<int64_t>());

  std::cout << input << '\n';
}
