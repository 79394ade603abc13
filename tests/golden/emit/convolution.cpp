// aten::upsample_nearest2d
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  torch::manual_seed(0);
  auto input = torch::randn({1, 2, 5, 5}).to(device);
  torch::manual_seed(1);
  auto weight = torch::randn({3, 2, 3, 3}).to(device);
  auto convolution = torch::convolution(input, weight, /*bias=*/std::nullopt, /*stride=*/{1, 1}, /*padding=*/{0, 0},
      /*dilation=*/{1, 1}, /*transposed=*/false, /*output_padding=*/{0, 0}, /*groups=*/1);
  auto result = torch::upsample_nearest2d(convolution, /*output_size=*/std::nullopt,
      /*scale_factors=*/torch::ArrayRef<double>({2.0, 2.0}));

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
