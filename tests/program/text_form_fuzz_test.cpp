#include <gtest/gtest.h>

#include <random>
#include <string>

#include "harness/program/text_form.h"
#include "harness/program/validate.h"

namespace minrepro {
namespace {

/// Text that reaches every branch of the reader.
constexpr const char* kSeeds[] = {
    R"({"minrepro_program": 1, "device": "sim", "torch": "2.11.0",
 "leaves": [{"id": 0, "dtype": "int64", "shape": [2], "values": [1, 7]}, {"id": 1, "dtype": "float32", "shape": [2, 3], "strides": [1, 2], "constant": 0.5},
            {"id": 2, "dtype": "float32", "shape": [3], "random": 42, "device": "cpu"}, {"id": 3, "dtype": "float32", "shape": [2], "view_of": 1, "offset": 4},
            {"id": 4, "dtype": "float32", "shape": [2, 2], "layout": "sparse_csr", "components": [0, 0, 2]}],
 "calls": [{"op": "aten::gather", "args": {"self": {"tensor": 1}, "dim": 1, "index": {"tensor": 0}}, "results": [8], "seed": 3,
            "source": {"file": "a.py", "line": 3, "function": "f", "text": "x"}}]})",
    R"({"minrepro_program": 1, "leaves": [{"id": 0, "dtype": "complex64", "shape": [1], "values": [[1, "nan"]]}, {"id": 1, "dtype": "bool", "shape": [1], "values": {"base64": "AQ=="}}],
 "calls": [{"op": "f", "args": {"a": [1, 2.5, null, true, "s", {"float": "-inf"}, {"complex": [1, 2]}, {"device": "sim"}, {"dtype": "int8"}, {"layout": "strided"},
            {"memory_format": "channels_last"}, {"generator": 1}, {"opaque": "X"}]}, "results": [-1]}]})"};

constexpr std::string_view kPieces[] = {"-1", "9223372036854775808", "1e999", "[", "]", "{", "}", "\"", "null", ",", ":", "true", "[[[[", "\\u0000", "\xff", "0", "1099511627776",
                                        "\"nan\"", "{\"tensor\": 99999999}", "\"shape\"", "\"values\""};

std::string mutated(const std::string& seed, std::mt19937_64& random) {
  std::string text = seed;
  const int edits = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    switch (random() % 6) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, 1 + random() % 12); break;
      case 2: text.insert(at, kPieces[random() % std::size(kPieces)]); break;
      case 3: text.resize(at); break;
      case 4: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
      default:
        if (const std::size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos) text.replace(digit, 1, kPieces[random() % 3]);
    }
  }
  return text;
}

/// 20,000 mutated programs: the reader and the validator answer every one, and what they accept they read back the same.
TEST(TextFormFuzz, NoMutatedProgramHarmsTheReader) {
  OpCatalog catalog;
  catalog.add(*parse_schema("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"));
  std::mt19937_64 random(2026);
  int accepted = 0, valid = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = mutated(kSeeds[i % 2], random);
    const auto program = program_from_text(text);
    if (!program) {
      ASSERT_FALSE(program.error().message.empty());
      continue;
    }
    ++accepted;
    const auto again = program_from_text(to_text(*program));
    ASSERT_TRUE(again.ok()) << again.error().message << "\n" << text;
    ASSERT_EQ(to_text(*again), to_text(*program)) << text;
    const Status status = validate(*program, catalog);
    if (status) ++valid;
    else ASSERT_FALSE(status.error().message.empty());
  }
  EXPECT_GT(accepted, 100);       // else the mutations are too wild to test anything behind the parser
  EXPECT_LT(accepted, 19'900);
  EXPECT_GT(valid, 10);
}

}  // namespace
}  // namespace minrepro
