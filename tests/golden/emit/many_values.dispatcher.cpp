// aten::embedding
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/torch.h>

#include <iostream>
#include <vector>

// Calls an operator by its registered name; returns all tensors among its results.
std::vector<at::Tensor> call(const char* name, const char* overload, std::vector<c10::IValue> stack) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).callBoxed(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) results.push_back(value.toTensor());
    if (value.isTensorList())
      for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
  }
  return results;
}

int main(int argc, char** argv) {
  const torch::Device device(argc > 1 ? argv[1] : "cuda");

  static int64_t indices_values[] = {0, 37, 74, 10, 47, 84, 20, 57, 94, 30, 67, 3, 40, 77, 13, 50, 87, 23, 60, 97, 33,
      70, 6, 43, 80, 16, 53, 90, 26, 63, 100, 36, 73, 9, 46, 83, 19, 56, 93, 29, 66, 2, 39, 76, 12, 49, 86, 22, 59,
      96, 32, 69, 5, 42, 79, 15, 52, 89, 25, 62, 99, 35, 72, 8, 45, 82, 18, 55, 92, 28, 65, 1, 38, 75, 11, 48, 85, 21,
      58, 95, 31, 68, 4, 41, 78, 14, 51, 88, 24, 61, 98, 34, 71, 7, 44, 81, 17, 54, 91, 27, 64, 0, 37, 74, 10, 47, 84,
      20, 57, 94, 30, 67, 3, 40, 77, 13, 50, 87, 23, 60, 97, 33, 70, 6, 43, 80, 16, 53, 90, 26, 63, 100, 36, 73, 9,
      46, 83, 19, 56, 93, 29, 66, 2, 39, 76, 12, 49, 86, 22, 59, 96, 32, 69, 5, 42, 79, 15, 52, 89, 25, 62, 99, 35,
      72, 8, 45, 82, 18, 55, 92, 28, 65, 1, 38, 75, 11, 48, 85, 21, 58, 95, 31, 68, 4, 41, 78, 14, 51, 88, 24, 61, 98,
      34, 71, 7, 44, 81, 17, 54, 91, 27, 64, 0, 37, 74, 10, 47, 84, 20, 57, 94, 30, 67, 3, 40, 77, 13, 50, 87, 23, 60,
      97, 33, 70, 6, 43, 80, 16, 53, 90, 26, 63, 100, 36, 73, 9, 46, 83, 19, 56, 93, 29, 66, 2, 39, 76, 12, 49, 86,
      22, 59, 96, 32, 69, 5, 42, 79, 15, 52, 89, 25, 62, 99, 35, 72, 8, 45, 82, 18, 55, 92, 28, 65, 1, 38, 75, 11, 48,
      85, 21, 58, 95, 31, 68, 4, 41, 78, 14, 51, 88, 24, 61, 98, 34, 71, 7, 44, 81, 17, 54, 91, 27, 64, 0, 37, 74, 10,
      47, 84, 20, 57, 94, 30, 67, 3, 40, 77, 13, 50, 87, 23, 60, 97, 33, 70, 6, 43, 80, 16, 53, 90, 26, 63, 100, 36,
      73, 9, 46, 83, 19, 56, 93, 29, 66, 2, 39, 76, 12, 49, 86, 22, 59, 96, 32, 69, 5, 42, 79, 15, 52, 89, 25, 62, 99,
      35, 72, 8, 45, 82, 18, 55, 92, 28, 65, 1, 38, 75, 11, 48, 85, 21, 58, 95, 31, 68, 4, 41, 78, 14, 51, 88, 24, 61,
      98, 34, 71, 7, 44, 81, 17};
  auto indices = torch::from_blob(indices_values, {20, 20}, torch::kLong).clone().to(device);
  auto weight = torch::tensor({0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75,
      4.0, 4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 5.75, 6.0, 6.25, 6.5, 6.75, 7.0, 7.25, 7.5, 7.75, 8.0, 8.25}).view({2, 17})
      .to(device);
  auto result = call("aten::embedding", "",
      {weight, indices, /*padding_idx=*/-1, /*scale_grad_by_freq=*/false, /*sparse=*/false})[0];

  std::cout << result.cpu() << '\n';  // the copy waits for the device: an error surfaces here at the latest
}
