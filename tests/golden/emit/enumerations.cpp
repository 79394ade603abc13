// aten::to_sparse
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto input = torch::zeros({1, 2, 2, 2}, device);
  auto to_copy = torch::_to_copy(input, torch::dtype(torch::kBFloat16), /*non_blocking=*/false,
      torch::MemoryFormat::ChannelsLast);
  auto div = to_copy.div(input, "floor");
  auto result = div.to_sparse(torch::kSparseCsr);

  std::cout << result.cpu().sizes() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
