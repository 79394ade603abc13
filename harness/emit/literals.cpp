#include "harness/emit/literals.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace minrepro::emit {
namespace {

std::string with_point(std::string text) {
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string non_finite(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

/// LibTorch refuses to convert a double above it, even one that would round to it.
double largest(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return 65504.0;
    case DType::kBFloat16: return 0x1.fep127;
    case DType::kFloat32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

template <std::size_t N>
std::string look_up(const std::array<std::pair<std::string_view, std::string_view>, N>& table, std::string_view key) {
  for (const auto& [name, text] : table)
    if (name == key) return std::string(text);
  return {};
}

}  // namespace

std::string real_literal(double value) { return std::isfinite(value) ? with_point(fmt::format("{}", value)) : non_finite(value); }

std::string real_literal_for(DType dtype, const std::byte* element) {
  const double value = read_real(dtype, element);
  if (!std::isfinite(value)) return non_finite(value);
  const auto bytes = static_cast<std::size_t>(size_of(dtype));
  for (int digits = 1; digits < std::numeric_limits<double>::max_digits10; ++digits) {
    const std::string text = fmt::format("{:.{}g}", value, digits);
    const double read = std::strtod(text.c_str(), nullptr);
    if (std::abs(read) > largest(dtype)) continue;
    std::array<std::byte, 16> back{};
    write_real(dtype, read, back.data());
    // "0.5" rather than "5e-01", where both say the same.
    if (std::memcmp(back.data(), element, bytes) == 0) return real_literal(read);
  }
  return real_literal(value);
}

std::string cpp_integer(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? "std::numeric_limits<int64_t>::min()" : fmt::format("{}", value);
}

std::string cpp_unsigned(uint64_t value) { return fmt::format("{}{}", value, value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? "u" : ""); }

std::string cpp_complex(std::complex<double> value) {
  return fmt::format("c10::complex<double>({}, {})", real_literal(value.real()), real_literal(value.imag()));
}
std::string py_complex(std::complex<double> value) {
  return fmt::format("complex({}, {})", real_literal(value.real()), real_literal(value.imag()));
}

std::string string_literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\', quoted += c;
    else if (c == '\n') quoted += "\\n";
    else if (c == '\t') quoted += "\\t";
    else if (static_cast<unsigned char>(c) < 32 || c == 127) quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else quoted += c;
  }
  return quoted + '"';
}

std::string cpp_dtype(DType dtype) {
  switch (dtype) {
    case DType::kUInt8: return "torch::kByte";
    case DType::kInt8: return "torch::kChar";
    case DType::kInt16: return "torch::kShort";
    case DType::kInt32: return "torch::kInt";
    case DType::kInt64: return "torch::kLong";
    case DType::kFloat16: return "torch::kHalf";
    case DType::kFloat32: return "torch::kFloat";
    case DType::kFloat64: return "torch::kDouble";
    case DType::kComplex32: return "torch::kComplexHalf";
    case DType::kComplex64: return "torch::kComplexFloat";
    case DType::kComplex128: return "torch::kComplexDouble";
    case DType::kBool: return "torch::kBool";
    case DType::kQInt8: return "torch::kQInt8";
    case DType::kQUInt8: return "torch::kQUInt8";
    case DType::kQInt32: return "torch::kQInt32";
    case DType::kBFloat16: return "torch::kBFloat16";
    case DType::kFloat8E5M2: return "torch::kFloat8_e5m2";
    case DType::kFloat8E4M3FN: return "torch::kFloat8_e4m3fn";
    case DType::kFloat8E5M2FNUZ: return "torch::kFloat8_e5m2fnuz";
    case DType::kFloat8E4M3FNUZ: return "torch::kFloat8_e4m3fnuz";
    case DType::kUInt16: return "torch::kUInt16";
    case DType::kUInt32: return "torch::kUInt32";
    case DType::kUInt64: return "torch::kUInt64";
  }
  return "torch::kFloat";
}

std::string py_dtype(DType dtype) { return fmt::format("torch.{}", name_of(dtype)); }

std::string cpp_layout(std::string_view layout) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLayouts = {{
      {"strided", "torch::kStrided"}, {"sparse", "torch::kSparse"}, {"sparse_csr", "torch::kSparseCsr"}, {"sparse_csc", "torch::kSparseCsc"},
      {"sparse_bsr", "torch::kSparseBsr"}, {"sparse_bsc", "torch::kSparseBsc"}, {"mkldnn", "torch::kMkldnn"}, {"jagged", "torch::kJagged"}}};
  return look_up(kLayouts, layout);
}

std::string cpp_memory_format(std::string_view format) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFormats = {{
      {"contiguous_format", "torch::MemoryFormat::Contiguous"}, {"preserve_format", "torch::MemoryFormat::Preserve"},
      {"channels_last", "torch::MemoryFormat::ChannelsLast"}, {"channels_last_3d", "torch::MemoryFormat::ChannelsLast3d"}}};
  return look_up(kFormats, format);
}

}  // namespace minrepro::emit
