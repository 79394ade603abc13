// aten::cat
#include <torch/torch.h>

#include <iostream>

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  auto part = torch::tensor({true, false}, torch::kBool).to(device);
  auto part2 = torch::ones({2}, torch::dtype(torch::kBool).device(device));
  auto part3 = torch::tensor({3, 0}, torch::kByte).to(device);
  auto part4 = torch::full({2}, 3, torch::dtype(torch::kByte).device(device));
  auto part5 = torch::tensor({3, 0}, torch::kChar).to(device);
  auto part6 = torch::full({2}, 3, torch::dtype(torch::kChar).device(device));
  auto part7 = torch::tensor({3, 0}, torch::kShort).to(device);
  auto part8 = torch::full({2}, 3, torch::dtype(torch::kShort).device(device));
  auto part9 = torch::tensor({3, 0}, torch::kInt).to(device);
  auto part10 = torch::full({2}, 3, torch::dtype(torch::kInt).device(device));
  auto part11 = torch::tensor({3, 0}, torch::kLong).to(device);
  auto part12 = torch::full({2}, 3, torch::dtype(torch::kLong).device(device));
  auto part13 = torch::tensor({0.1, -1.5}, torch::kHalf).to(device);
  auto part14 = torch::full({2}, 3.0, torch::dtype(torch::kHalf).device(device));
  auto part15 = torch::tensor({0.1, -1.5}, torch::kBFloat16).to(device);
  auto part16 = torch::full({2}, 3.0, torch::dtype(torch::kBFloat16).device(device));
  auto part17 = torch::tensor({0.1, -1.5}, torch::kDouble).to(device);
  auto part18 = torch::full({2}, 3.0, torch::dtype(torch::kDouble).device(device));
  auto part19 = torch::tensor({c10::complex<double>(1.5, -2.0), c10::complex<double>(0.0, 1.0)}, torch::kComplexFloat)
      .to(device);
  auto part20 = torch::full({2}, c10::complex<double>(3.0, 0.0), torch::dtype(torch::kComplexFloat).device(device));
  auto part21 = torch::tensor({c10::complex<double>(1.5, -2.0), c10::complex<double>(0.0, 1.0)}, torch::kComplexDouble)
      .to(device);
  auto part22 = torch::full({2}, c10::complex<double>(3.0, 0.0), torch::dtype(torch::kComplexDouble).device(device));
  auto part23 = torch::tensor({3, 0}, torch::kLong).to(torch::kUInt16).to(device);
  auto part24 = torch::full({2}, 3, torch::kLong).to(torch::kUInt16).to(device);
  auto part25 = torch::tensor({3, 0}, torch::kLong).view(torch::kUInt64).to(device);
  auto part26 = torch::full({2}, 3, torch::kLong).view(torch::kUInt64).to(device);
  auto part27 = torch::tensor({0.09, -1.5}).to(torch::kFloat8_e5m2).to(device);
  auto part28 = torch::full({2}, 3.0).to(torch::kFloat8_e5m2).to(device);
  auto part29 = torch::_make_per_tensor_quantized_tensor(torch::tensor({3, 0}, torch::kChar), /*scale=*/1.0,
      /*zero_point=*/0).to(device);
  auto part30 = torch::_make_per_tensor_quantized_tensor(torch::full({2}, 3, torch::kChar), /*scale=*/1.0,
      /*zero_point=*/0).to(device);
  auto result = torch::cat({part, part2, part3, part4, part5, part6, part7, part8, part9, part10, part11, part12,
      part13, part14, part15, part16, part17, part18, part19, part20, part21, part22, part23, part24, part25, part26,
      part27, part28, part29, part30});

  std::cout << result.cpu().sizes() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
