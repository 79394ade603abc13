#include "harness/asserts/rules/rules.h"

/// Integers divided by 0: the CPU raises ZeroDivisionError, the device goes on with whatever its division gives.
namespace minrepro::rules {
namespace {

AssertRule divides_by(std::string_view id, std::string_view op, std::string_view file, int line, std::string_view function) {
  return {.id = id, .ops = {op}, .argument = "other", .domain = Domain::kDivisor, .file = file, .line = line, .function = function, .read_in = k2_6,
          .cause = "Integers are divided by 0.", .mend = "divide by other.clamp(min=1), or in floating point", .when = {{"self", Condition::Is::kIntegral}},
          .on_cuda = OnCuda::kSilent};
}

AssertRule rounded_division(std::string_view id, std::string_view mode, std::string_view file, int line, std::string_view function) {
  AssertRule rule = divides_by(id, "aten::div", file, line, function);
  rule.when.push_back({"rounding_mode", Condition::Is::kText, 0, mode});
  rule.not_overloads = {"Tensor", "Scalar", "Scalar_mode", "out", "Scalar_out", "Scalar_mode_out"};   // true division, or of a number
  return rule;
}

}  // namespace

std::vector<AssertRule> arithmetic() {
  return {
      divides_by("floor_divide.other", "aten::floor_divide", "BinaryDivFloorKernel.cu", 33, "div_floor_kernel_cuda"),
      rounded_division("div_floor.other", "floor", "BinaryDivFloorKernel.cu", 33, "div_floor_kernel_cuda"),
      rounded_division("div_trunc.other", "trunc", "BinaryDivTruncKernel.cu", 24, "div_trunc_kernel_cuda"),
      divides_by("remainder.other", "aten::remainder", "BinaryRemainderKernel.cu", 20, "remainder_kernel_cuda"),
      divides_by("fmod.other", "aten::fmod", "BinaryRemainderKernel.cu", 45, "fmod_kernel_cuda"),
  };
}

}  // namespace minrepro::rules
