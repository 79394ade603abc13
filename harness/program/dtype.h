#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace minrepro {

/// Element types. The numbers are those of `c10::ScalarType`, which LibTorch keeps stable (they are in serialized models).
enum class DType : int8_t {
  kUInt8 = 0, kInt8 = 1, kInt16 = 2, kInt32 = 3, kInt64 = 4,
  kFloat16 = 5, kFloat32 = 6, kFloat64 = 7,
  kComplex32 = 8, kComplex64 = 9, kComplex128 = 10,
  kBool = 11, kQInt8 = 12, kQUInt8 = 13, kQInt32 = 14, kBFloat16 = 15,
  kFloat8E5M2 = 23, kFloat8E4M3FN = 24, kFloat8E5M2FNUZ = 25, kFloat8E4M3FNUZ = 26,
  kUInt16 = 27, kUInt32 = 28, kUInt64 = 29,
};

/// "int64", "float16", … as PyTorch's Python names them (without "torch.").
std::string_view name_of(DType dtype);
std::optional<DType> dtype_of_name(std::string_view name);
std::optional<DType> dtype_of_number(int64_t number);

/// Bytes of one element.
int64_t size_of(DType dtype);

/// Integer types and bool.
bool is_integral(DType dtype);
bool is_floating(DType dtype);
bool is_complex(DType dtype);

/// Reads one element at `data` as an integer (bool as 0 or 1). Precondition: is_integral(dtype).
int64_t read_integer(DType dtype, const void* data);
/// Reads one element as a double; integers are converted; complex types give their real part.
double read_real(DType dtype, const void* data);
/// Writes one element, rounding to the type as a C++ conversion would. Complex types get a zero imaginary part.
void write_integer(DType dtype, int64_t value, void* data);
void write_real(DType dtype, double value, void* data);

}  // namespace minrepro
