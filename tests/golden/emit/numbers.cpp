// aten::mul
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto x = torch::tensor({1.0, 2.0}, torch::kHalf).to(device);
  auto y = torch::tensor(0.1, torch::kDouble);
  y.unsafeGetTensorImpl()->set_wrapped_number(true);  // a plain number: it takes no part in type promotion
  auto y2 = torch::tensor(2.0);
  auto mul = x.mul(y);
  auto result = mul.mul(y2);

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
