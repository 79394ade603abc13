// aten::mm
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cpu");

  auto indices = torch::tensor({{0, 1}, {1, 2}}, torch::kLong).to(device);
  auto values = torch::ones({2}, device);
  auto a = torch::_sparse_coo_tensor_unsafe(indices, values, {3, 3}, values.options().layout(torch::kSparse));
  auto crow_indices = torch::tensor({0, 1, 2, 2}, torch::kLong).to(device);
  auto col_indices = torch::tensor({1, 0}, torch::kLong).to(device);
  auto values2 = torch::full({2}, 2.0, device);
  auto b = torch::_sparse_compressed_tensor_unsafe(crow_indices, col_indices, values2, {3, 3}, values2.options()
      .layout(torch::kSparseCsr));
  auto result = a.mm(b);

  std::cout << result.cpu().sizes() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
