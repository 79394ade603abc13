// A user's C++ program that is linked with LibTorch and knows nothing of the recorder.
//   recorded_program WAY [NUMBER]
// makes a few calls and ends in the way that it is told to.
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones.h>
#include <torch/library.h>

namespace {

/// An operator that ends the program, or does not end: "crash::inside".
at::Tensor crash_inside(const at::Tensor& x, c10::string_view how) {
  if (how == "abort") std::abort();
  if (how == "segv") raise(SIGSEGV);
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  return x.clone();
}

}  // namespace

TORCH_LIBRARY(crash, library) { library.def("inside(Tensor x, str how) -> Tensor", crash_inside); }

/// Not inlined: the recorder is to find this function's name.
__attribute__((noinline)) at::Tensor make_calls() {
  const at::Tensor numbers = at::arange(6, at::kLong);
  const at::Tensor table = at::ones({10, 3});
  const at::Tensor rows = at::index_select(table, 0, numbers);
  return at::neg(rows);
}

at::Tensor inside(const at::Tensor& x, const std::string& how) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("crash::inside", "").typed<at::Tensor(const at::Tensor&, c10::string_view)>();
  return op.call(x, how);
}

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "good";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  const at::Tensor x = make_calls();
  if (way == "echo") {
    for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
    return 0;
  }
  if (way == "exit") return number;
  if (way == "raise") return raise(number);
  if (way == "kill") return kill(getpid(), SIGKILL);
  if (way == "throw") at::index_select(x, 0, at::arange(7, 8, at::kLong));
  if (way == "inside") inside(x, argv[2]);
  if (way == "many") {
    at::Tensor sum = at::ones({2});
    for (int i = 0; i < number; ++i) sum = at::add(sum, 1);
    std::printf("%d calls, the sum is %g\n", number, sum.sum().item<double>());
  }
  if (way == "large") {
    // Index data that does not repeat.
    for (int i = 0; i < number; ++i) at::neg(at::arange(i * 30'000, (i + 1) * 30'000, at::kLong));
    std::puts("done");
  }
  return 0;
}
