#include "harness/program/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace minrepro {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

TEST(Base64, WritesTheVectorsOfRfc4648) {
  EXPECT_EQ(encode_base64(bytes_of("")), "");
  EXPECT_EQ(encode_base64(bytes_of("f")), "Zg==");
  EXPECT_EQ(encode_base64(bytes_of("fo")), "Zm8=");
  EXPECT_EQ(encode_base64(bytes_of("foobar")), "Zm9vYmFy");
}

TEST(Base64, ReadsBackWhatItWrote) {
  std::mt19937 random(7);
  for (std::size_t length = 0; length < 100; ++length) {
    std::vector<std::byte> bytes(length);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatNoEncoderWrites) {
  for (const char* text : {"Z", "Zg=", "Zh==", "Zg==Zg==", "Z===", "Zm9v\n", "Zm9*", "====", "=Zg="}) EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace minrepro
