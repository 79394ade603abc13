// aten::neg
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  torch::manual_seed(42);
  auto input = torch::randn({5}).to(device);
  auto [values, indices] = input.topk(/*k=*/2, /*dim=*/-1, /*largest=*/false);
  auto parts = values.split(/*split_size=*/{1, 1});
  auto [values2, indices2] = parts[1].sort();
  auto add = parts[0].add(indices2, /*alpha=*/2);
  add.neg_();
  auto result = add.neg();

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
