#include "harness/program/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace minrepro {
namespace {

enum class Kind { kInteger, kFloat, kComplex };

struct Row {
  DType dtype;
  std::string_view name;
  int64_t size;
  Kind kind;
};

constexpr std::array kTable = {
    Row{DType::kUInt8, "uint8", 1, Kind::kInteger},
    Row{DType::kInt8, "int8", 1, Kind::kInteger},
    Row{DType::kInt16, "int16", 2, Kind::kInteger},
    Row{DType::kInt32, "int32", 4, Kind::kInteger},
    Row{DType::kInt64, "int64", 8, Kind::kInteger},
    Row{DType::kFloat16, "float16", 2, Kind::kFloat},
    Row{DType::kFloat32, "float32", 4, Kind::kFloat},
    Row{DType::kFloat64, "float64", 8, Kind::kFloat},
    Row{DType::kComplex32, "complex32", 4, Kind::kComplex},
    Row{DType::kComplex64, "complex64", 8, Kind::kComplex},
    Row{DType::kComplex128, "complex128", 16, Kind::kComplex},
    Row{DType::kBool, "bool", 1, Kind::kInteger},
    Row{DType::kQInt8, "qint8", 1, Kind::kInteger},
    Row{DType::kQUInt8, "quint8", 1, Kind::kInteger},
    Row{DType::kQInt32, "qint32", 4, Kind::kInteger},
    Row{DType::kBFloat16, "bfloat16", 2, Kind::kFloat},
    Row{DType::kFloat8E5M2, "float8_e5m2", 1, Kind::kFloat},
    Row{DType::kFloat8E4M3FN, "float8_e4m3fn", 1, Kind::kFloat},
    Row{DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", 1, Kind::kFloat},
    Row{DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", 1, Kind::kFloat},
    Row{DType::kUInt16, "uint16", 2, Kind::kInteger},
    Row{DType::kUInt32, "uint32", 4, Kind::kInteger},
    Row{DType::kUInt64, "uint64", 8, Kind::kInteger},
};

const Row& row(DType dtype) {
  for (const Row& r : kTable)
    if (r.dtype == dtype) return r;
  return kTable.front();
}

/// A small binary float: 1 sign bit, then exponent, then mantissa. `finite_only`: no infinities, and only the all-ones code is NaN.
/// `unsigned_zero`: the code of minus zero is the only NaN (the "fnuz" types), and the bias is one higher.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  bool finite_only = false;
  bool unsigned_zero = false;
  int bias() const { return (1 << (exponent_bits - 1)) - 1 + (unsigned_zero ? 1 : 0); }
};

std::optional<SmallFloat> small_float(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: case DType::kComplex32: return SmallFloat{5, 10};
    case DType::kBFloat16: return SmallFloat{8, 7};
    case DType::kFloat8E5M2: return SmallFloat{5, 2};
    case DType::kFloat8E4M3FN: return SmallFloat{4, 3, true};
    case DType::kFloat8E5M2FNUZ: return SmallFloat{5, 2, true, true};
    case DType::kFloat8E4M3FNUZ: return SmallFloat{4, 3, true, true};
    default: return std::nullopt;
  }
}

double decode(const SmallFloat& f, unsigned bits) {
  const unsigned mantissa = bits & ((1u << f.mantissa_bits) - 1);
  const unsigned exponent = (bits >> f.mantissa_bits) & ((1u << f.exponent_bits) - 1);
  const bool negative = (bits >> (f.mantissa_bits + f.exponent_bits)) & 1;
  const unsigned last = (1u << f.exponent_bits) - 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.unsigned_zero && negative && exponent == 0 && mantissa == 0) return nan;
  if (!f.finite_only && exponent == last) return mantissa ? nan : (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
  if (f.finite_only && !f.unsigned_zero && exponent == last && mantissa == (1u << f.mantissa_bits) - 1) return nan;
  const double significand = exponent ? 1.0 + std::ldexp(mantissa, -f.mantissa_bits) : std::ldexp(mantissa, -f.mantissa_bits);
  const double magnitude = std::ldexp(significand, static_cast<int>(exponent ? exponent : 1) - f.bias());
  return negative ? -magnitude : magnitude;
}

/// Round to nearest, ties to even; too large becomes infinity where there is one, else NaN.
unsigned encode(const SmallFloat& f, double value) {
  const unsigned sign = std::signbit(value) ? 1u << (f.exponent_bits + f.mantissa_bits) : 0;
  const unsigned last = (1u << f.exponent_bits) - 1;
  const unsigned nan = f.unsigned_zero ? 1u << (f.exponent_bits + f.mantissa_bits)
                                       : (last << f.mantissa_bits) | ((1u << f.mantissa_bits) - 1);
  if (std::isnan(value)) return nan;
  const unsigned overflow = f.finite_only ? nan : sign | (last << f.mantissa_bits);
  if (std::isinf(value)) return overflow;
  int exponent = 0;
  std::frexp(value, &exponent);                                    // |value| = m * 2^exponent, m in [0.5, 1)
  const int lowest = 1 - f.bias();
  const int scale = std::max(exponent - 1, lowest);
  const double units = std::nearbyint(std::ldexp(std::fabs(value), f.mantissa_bits - scale));
  auto code = static_cast<unsigned>(units);                        // significand with its leading one, or a subnormal
  if (code >= (2u << f.mantissa_bits)) return encode(f, std::copysign(std::ldexp(1.0, scale + 1), value));
  const unsigned hidden = 1u << f.mantissa_bits;
  const unsigned biased = code >= hidden ? static_cast<unsigned>(scale + f.bias()) : 0;
  if (biased > last || (!f.finite_only && biased == last)) return overflow;
  code = (biased << f.mantissa_bits) | (code & (hidden - 1));
  if (f.finite_only && !f.unsigned_zero && code == nan) return nan;
  if (f.unsigned_zero && code == 0) return 0;
  return sign | code;
}

template <typename T>
T load(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

template <typename T>
void store(T value, void* data) {
  std::memcpy(data, &value, sizeof value);
}

/// A conversion that is defined for every double: NaN becomes 0, out of range saturates.
template <typename T>
T saturate(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

}  // namespace

std::string_view name_of(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_of_name(std::string_view name) {
  for (const Row& r : kTable)
    if (r.name == name) return r.dtype;
  return std::nullopt;
}

std::optional<DType> dtype_of_number(int64_t number) {
  for (const Row& r : kTable)
    if (static_cast<int64_t>(r.dtype) == number) return r.dtype;
  return std::nullopt;
}

int64_t size_of(DType dtype) { return row(dtype).size; }
bool is_integral(DType dtype) { return row(dtype).kind == Kind::kInteger; }
bool is_floating(DType dtype) { return row(dtype).kind == Kind::kFloat; }
bool is_complex(DType dtype) { return row(dtype).kind == Kind::kComplex; }

int64_t read_integer(DType dtype, const void* data) {
  switch (dtype) {
    case DType::kUInt8: case DType::kQUInt8: return load<uint8_t>(data);
    case DType::kInt8: case DType::kQInt8: return load<int8_t>(data);
    case DType::kInt16: return load<int16_t>(data);
    case DType::kInt32: case DType::kQInt32: return load<int32_t>(data);
    case DType::kBool: return load<uint8_t>(data) != 0;
    case DType::kUInt16: return load<uint16_t>(data);
    case DType::kUInt32: return load<uint32_t>(data);
    default: return load<int64_t>(data);
  }
}

double read_real(DType dtype, const void* data) {
  if (is_integral(dtype)) return static_cast<double>(read_integer(dtype, data));
  if (const auto small = small_float(dtype)) return decode(*small, size_of(dtype) == 1 ? load<uint8_t>(data) : load<uint16_t>(data));
  if (dtype == DType::kFloat32 || dtype == DType::kComplex64) return load<float>(data);
  return load<double>(data);
}

void write_integer(DType dtype, int64_t value, void* data) {
  switch (dtype) {
    case DType::kUInt8: case DType::kInt8: case DType::kQInt8: case DType::kQUInt8: return store(static_cast<uint8_t>(value), data);
    case DType::kBool: return store(static_cast<uint8_t>(value != 0), data);
    case DType::kInt16: case DType::kUInt16: return store(static_cast<uint16_t>(value), data);
    case DType::kInt32: case DType::kUInt32: case DType::kQInt32: return store(static_cast<uint32_t>(value), data);
    case DType::kInt64: case DType::kUInt64: return store(value, data);
    default: return write_real(dtype, static_cast<double>(value), data);
  }
}

void write_real(DType dtype, double value, void* data) {
  if (is_integral(dtype)) return write_integer(dtype, dtype == DType::kBool ? value != 0 : saturate<int64_t>(value), data);
  if (is_complex(dtype)) std::memset(data, 0, static_cast<std::size_t>(size_of(dtype)));
  if (const auto small = small_float(dtype)) {
    const unsigned code = encode(*small, value);
    if (size_of(dtype) == 1) return store(static_cast<uint8_t>(code), data);
    return store(static_cast<uint16_t>(code), data);
  }
  if (dtype == DType::kFloat32 || dtype == DType::kComplex64) return store(static_cast<float>(value), data);
  store(value, data);
}

}  // namespace minrepro
