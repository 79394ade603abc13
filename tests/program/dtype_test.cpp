#include "harness/program/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace minrepro {
namespace {

double round_trip(DType dtype, double value) {
  std::byte bytes[16];
  write_real(dtype, value, bytes);
  return read_real(dtype, bytes);
}

TEST(DType, NamesAndNumbersFindEachOther) {
  EXPECT_EQ(dtype_of_name("bfloat16"), DType::kBFloat16);
  EXPECT_EQ(dtype_of_number(4), DType::kInt64);
  EXPECT_EQ(dtype_of_number(99), std::nullopt);
  EXPECT_EQ(dtype_of_name("float128"), std::nullopt);
}

TEST(DType, HalfKeepsItsLimits) {
  EXPECT_EQ(round_trip(DType::kFloat16, 65504), 65504);                      // the largest
  EXPECT_TRUE(std::isinf(round_trip(DType::kFloat16, 65520)));               // halfway to the next: rounds to infinity
  EXPECT_EQ(round_trip(DType::kFloat16, 65519), 65504);
  EXPECT_EQ(round_trip(DType::kFloat16, std::ldexp(1, -24)), std::ldexp(1, -24));   // the smallest subnormal
  EXPECT_EQ(round_trip(DType::kFloat16, std::ldexp(1, -25)), 0);             // a tie goes to even
  EXPECT_EQ(round_trip(DType::kFloat16, 2049), 2048);                        // ties to even
  EXPECT_EQ(round_trip(DType::kFloat16, 2051), 2052);
  EXPECT_TRUE(std::signbit(round_trip(DType::kFloat16, -0.0)));
}

TEST(DType, EveryCodeOfTheSmallFloatsReadsBackAsItself) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    for (unsigned code = 0; code < 65536; ++code) {
      const auto bits = static_cast<uint16_t>(code);
      const double value = read_real(dtype, &bits);
      uint16_t again = 0;
      write_real(dtype, value, &again);
      if (std::isnan(value)) EXPECT_TRUE(std::isnan(read_real(dtype, &again)));
      else ASSERT_EQ(again, bits) << name_of(dtype) << " " << code;
    }
  }
  for (const DType dtype : {DType::kFloat8E5M2, DType::kFloat8E4M3FN, DType::kFloat8E5M2FNUZ, DType::kFloat8E4M3FNUZ}) {
    for (unsigned code = 0; code < 256; ++code) {
      const auto bits = static_cast<uint8_t>(code);
      const double value = read_real(dtype, &bits);
      uint8_t again = 0;
      write_real(dtype, value, &again);
      if (std::isnan(value)) EXPECT_TRUE(std::isnan(read_real(dtype, &again)));
      else ASSERT_EQ(again, bits) << name_of(dtype) << " " << code;
    }
  }
}

TEST(DType, KnownValuesOfTheSmallFloats) {
  const uint8_t largest_e4m3 = 0x7E, largest_e5m2 = 0x7B;
  EXPECT_EQ(read_real(DType::kFloat8E4M3FN, &largest_e4m3), 448);
  EXPECT_EQ(read_real(DType::kFloat8E5M2, &largest_e5m2), 57344);
  const uint16_t one_bfloat = 0x3F80;
  EXPECT_EQ(read_real(DType::kBFloat16, &one_bfloat), 1);
}

TEST(DType, IntegersAreExactAndReadWithTheirSign) {
  int64_t wide = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(read_integer(DType::kInt64, &wide), std::numeric_limits<int64_t>::min());
  const int8_t minus = -1;
  EXPECT_EQ(read_integer(DType::kInt8, &minus), -1);
  EXPECT_EQ(read_integer(DType::kUInt8, &minus), 255);
  EXPECT_EQ(round_trip(DType::kInt64, std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(round_trip(DType::kBool, 0.5), 1);
}

TEST(DType, ComplexReadsItsRealPart) {
  std::byte bytes[16];
  write_real(DType::kComplex64, 2.5, bytes);
  float imaginary = 1;
  std::memcpy(&imaginary, bytes + 4, 4);
  EXPECT_EQ(read_real(DType::kComplex64, bytes), 2.5);
  EXPECT_EQ(imaginary, 0);
}

}  // namespace
}  // namespace minrepro
