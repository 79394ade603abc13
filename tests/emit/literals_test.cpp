#include "harness/emit/literals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace minrepro::emit {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Literals, ARealHasAPointOrAnExponent) {
  EXPECT_EQ(real_literal(1), "1.0");
  EXPECT_EQ(real_literal(-0.0), "-0.0");
  EXPECT_EQ(real_literal(0.1), "0.1");
  EXPECT_EQ(real_literal(1e-5), "1e-05");
  EXPECT_EQ(real_literal(1e300), "1e+300");
  EXPECT_EQ(real_literal(kNan), "nan");
  EXPECT_EQ(real_literal(kInf), "inf");
  EXPECT_EQ(real_literal(-kInf), "-inf");
}

TEST(Literals, ARealReadsBackToItself) {
  for (const double value : {5e-324, 0.1 + 0.2, 1.7976931348623157e308, 9007199254740993.0, 1.0 / 3}) EXPECT_EQ(std::strtod(real_literal(value).c_str(), nullptr), value);
}

std::string literal_of(DType dtype, double value) {
  std::byte element[16] = {};
  write_real(dtype, value, element);
  return real_literal_for(dtype, element);
}

TEST(Literals, AnElementTakesAsFewDigitsAsItsTypeNeeds) {
  EXPECT_EQ(literal_of(DType::kFloat32, 0.1), "0.1");
  EXPECT_EQ(literal_of(DType::kFloat16, 0.1), "0.1");
  EXPECT_EQ(literal_of(DType::kBFloat16, 0.123456789), "0.1235");
  EXPECT_EQ(literal_of(DType::kFloat32, -0.0), "-0.0");
  EXPECT_EQ(literal_of(DType::kFloat32, kNan), "nan");
  EXPECT_EQ(literal_of(DType::kFloat8E5M2, 3.5), "3.5");
  EXPECT_EQ(literal_of(DType::kFloat64, 5e-324), "5e-324");
}

TEST(Literals, NoElementIsWrittenAboveTheLargestOfItsType) {
  EXPECT_LE(std::strtod(literal_of(DType::kFloat32, std::numeric_limits<float>::max()).c_str(), nullptr), std::numeric_limits<float>::max());
  EXPECT_LE(std::strtod(literal_of(DType::kFloat16, 65504).c_str(), nullptr), 65504);
  EXPECT_LE(std::strtod(literal_of(DType::kBFloat16, 0x1.fep127).c_str(), nullptr), 0x1.fep127);
}

TEST(Literals, EveryHalfComesBack) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const auto narrow = static_cast<uint16_t>(bits);
      std::byte element[2], back[2];
      std::memcpy(element, &narrow, 2);
      const double value = read_real(dtype, element);
      if (!std::isfinite(value)) continue;
      write_real(dtype, std::strtod(real_literal_for(dtype, element).c_str(), nullptr), back);
      ASSERT_EQ(std::memcmp(element, back, 2), 0) << name_of(dtype) << " " << bits;
    }
}

TEST(Literals, TheLeastIntegerHasNoLiteralInCpp) {
  EXPECT_EQ(cpp_integer(-7), "-7");
  EXPECT_EQ(cpp_integer(INT64_MAX), "9223372036854775807");
  EXPECT_EQ(cpp_integer(INT64_MIN), "std::numeric_limits<int64_t>::min()");
}

TEST(Literals, ALargeSeedSaysThatItIsUnsigned) {
  EXPECT_EQ(cpp_unsigned(7), "7");
  EXPECT_EQ(cpp_unsigned(UINT64_MAX), "18446744073709551615u");
}

TEST(Literals, Complex) {
  EXPECT_EQ(cpp_complex({1, -0.5}), "c10::complex<double>(1.0, -0.5)");
  EXPECT_EQ(py_complex({kNan, -kInf}), "complex(nan, -inf)");
}

TEST(Literals, StringsAreEscaped) {
  EXPECT_EQ(string_literal("mean"), "\"mean\"");
  EXPECT_EQ(string_literal("a\"b\\c\nd\te"), R"("a\"b\\c\nd\te")");
  EXPECT_EQ(string_literal(std::string_view("\x01" "2\0", 3)), R"("\0012\000")");    // an octal escape ends after three digits
  EXPECT_EQ(string_literal("é"), "\"é\"");
}

TEST(Literals, EnumerationsHaveTheirNames) {
  EXPECT_EQ(cpp_dtype(DType::kInt64), "torch::kLong");
  EXPECT_EQ(cpp_dtype(DType::kFloat8E4M3FNUZ), "torch::kFloat8_e4m3fnuz");
  EXPECT_EQ(py_dtype(DType::kBFloat16), "torch.bfloat16");
  EXPECT_EQ(cpp_layout("sparse_bsc"), "torch::kSparseBsc");
  EXPECT_EQ(cpp_memory_format("channels_last"), "torch::MemoryFormat::ChannelsLast");
}

}  // namespace
}  // namespace minrepro::emit
