#include <gmock/gmock.h>

#include <cstring>

#include "tests/oracle/worker_under_test.h"

/// Leaves come out as the program describes them.
namespace minrepro {
namespace {

class Leaves : public WithWorker {
 protected:
  static Result<std::map<int, CapturedTensor>> capture(std::string_view leaves, std::string_view call) {
    return worker()->capture(
        program_of(R"({"minrepro_program": 1, "device": "cpu", "leaves": [)" + std::string(leaves) + R"(], "calls": [)" + std::string(call) + "]}"), 0, {});
  }
  static CapturedTensor leaf(std::string_view leaves, int id) {
    auto captured = capture(leaves, R"({"op": "aten::neg", "args": {"self": {"tensor": )" + std::to_string(id) + R"(}}, "results": [99]})");
    EXPECT_TRUE(captured) << (captured ? "" : captured.error().message);
    return captured && captured->contains(id) ? captured->at(id) : CapturedTensor();
  }
  template <typename T>
  static std::vector<T> values(const CapturedTensor& tensor) {
    std::vector<T> out(tensor.data.size() / sizeof(T));
    std::memcpy(out.data(), tensor.data.data(), out.size() * sizeof(T));
    return out;
  }
  static Outcome sum_of(std::string_view leaves, int id) {
    return run_here(R"({"minrepro_program": 1, "device": "cpu", "leaves": [)" + std::string(leaves) + R"(], "calls": [{"op": "aten::clone", "args": {"self": {"tensor": )" +
                    std::to_string(id) + R"(}}, "results": [99]}]})");
  }
};

TEST_F(Leaves, StridesLayOutLogicalValues) {
  const CapturedTensor tensor = leaf(R"({"id": 0, "dtype": "int32", "shape": [2, 3], "strides": [1, 2], "values": [1, 2, 3, 4, 5, 6]})", 0);
  EXPECT_EQ(tensor.meta.strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(values<int32_t>(tensor), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Leaves, GapsAndOverlaps) {
  const CapturedTensor gaps = leaf(R"({"id": 0, "dtype": "int16", "shape": [2, 2], "strides": [7, 3], "values": [1, 2, 3, 4]})", 0);
  EXPECT_EQ(gaps.meta.strides, (std::vector<int64_t>{7, 3}));
  EXPECT_EQ(values<int16_t>(gaps), (std::vector<int16_t>{1, 2, 3, 4}));
  const CapturedTensor expanded = leaf(R"({"id": 0, "dtype": "int16", "shape": [3, 2], "strides": [0, 1], "values": [5, 6, 5, 6, 5, 6]})", 0);
  EXPECT_EQ(expanded.meta.strides, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(values<int16_t>(expanded), (std::vector<int16_t>{5, 6, 5, 6, 5, 6}));
}

TEST_F(Leaves, ScalarsAndEmptyOnes) {
  EXPECT_EQ(values<double>(leaf(R"({"id": 0, "dtype": "float64", "shape": [], "values": [2.5]})", 0)), (std::vector<double>{2.5}));
  const CapturedTensor empty = leaf(R"({"id": 0, "dtype": "float32", "shape": [0, 3], "constant": 1})", 0);
  EXPECT_EQ(empty.meta.sizes, (std::vector<int64_t>{0, 3}));
  EXPECT_TRUE(empty.data.empty());
}

TEST_F(Leaves, ConstantsOfManyTypes) {
  EXPECT_EQ(values<int8_t>(leaf(R"({"id": 0, "dtype": "int8", "shape": [3], "constant": -2.75})", 0)), (std::vector<int8_t>{-2, -2, -2}));
  EXPECT_EQ(values<float>(leaf(R"({"id": 0, "dtype": "complex64", "shape": [2], "constant": 1.5})", 0)), (std::vector<float>{1.5, 0, 1.5, 0}));
  EXPECT_EQ(values<uint16_t>(leaf(R"({"id": 0, "dtype": "bfloat16", "shape": [1], "constant": 1})", 0)), (std::vector<uint16_t>{0x3f80}));
  EXPECT_EQ(values<uint64_t>(leaf(R"({"id": 0, "dtype": "uint64", "shape": [1], "constant": 3})", 0)), (std::vector<uint64_t>{3}));
}

TEST_F(Leaves, RandomOnesRepeatWithTheirSeed) {
  const auto floats = values<float>(leaf(R"({"id": 0, "dtype": "float32", "shape": [50], "random": 42})", 0));
  EXPECT_EQ(floats, values<float>(leaf(R"({"id": 0, "dtype": "float32", "shape": [50], "random": 42})", 0)));
  EXPECT_NE(floats, values<float>(leaf(R"({"id": 0, "dtype": "float32", "shape": [50], "random": 43})", 0)));
  EXPECT_TRUE(std::any_of(floats.begin(), floats.end(), [](float x) { return x < 0; }));
  EXPECT_THAT(values<int64_t>(leaf(R"({"id": 0, "dtype": "int64", "shape": [50], "random": 1})", 0)),
              testing::AllOf(testing::Each(testing::AnyOf(0, 1)), testing::Contains(0), testing::Contains(1)));
  for (const char* dtype : {"bool", "uint8", "uint16", "uint64", "float16", "bfloat16", "float64", "complex64", "complex128", "complex32", "float8_e4m3fn", "float8_e5m2"}) {
    const std::string text = R"({"id": 0, "dtype": ")" + std::string(dtype) + R"(", "shape": [4], "random": 1})";
    EXPECT_EQ(sum_of(text, 0).kind, FailureKind::kNone) << dtype << ": " << sum_of(text, 0).message;
  }
}

TEST_F(Leaves, ViewsShareTheirBase) {
  auto captured = worker()->capture(program_of(R"({"minrepro_program": 1, "device": "cpu",
    "leaves": [{"id": 0, "dtype": "float32", "shape": [6], "values": [0, 1, 2, 3, 4, 5]}, {"id": 1, "dtype": "float32", "shape": [2], "strides": [2], "view_of": 0, "offset": 1}],
    "calls": [{"op": "aten::fill_.Scalar", "args": {"self": {"tensor": 1}, "value": 9}, "results": [1]},
              {"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [2]}]})"), 1, {});
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(values<float>(captured->at(0)), (std::vector<float>{0, 9, 2, 9, 4, 5}));
}

TEST_F(Leaves, WrappedNumbersTakeNoPartInPromotion) {
  for (bool wrapped : {true, false}) {
    const std::string text = std::string(R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "float32", "shape": [], "values": [1.0]},
      {"id": 1, "dtype": "float64", "shape": [], "values": [1.0])") + (wrapped ? R"(, "wrapped_number": true)" : "") + R"(}],
      "calls": [{"op": "aten::add.Tensor", "args": {"self": {"tensor": 0}, "other": {"tensor": 1}}, "results": [2]}, {"op": "aten::neg", "args": {"self": {"tensor": 2}}, "results": [3]}]})";
    Program program = program_of(text);
    program.leaves[1].is_wrapped_number = wrapped;
    auto captured = worker()->capture(program, 1, {});
    ASSERT_TRUE(captured) << captured.error().message;
    EXPECT_EQ(captured->at(2).meta.dtype, wrapped ? DType::kFloat32 : DType::kFloat64);
  }
}

TEST_F(Leaves, SparseOnesAreBuiltUnchecked) {
  const std::string parts = R"({"id": 0, "dtype": "int64", "shape": [3], "values": [0, 1, 2]}, {"id": 1, "dtype": "int64", "shape": [2], "values": [1, 0]},
    {"id": 2, "dtype": "float32", "shape": [2], "values": [5, 6]}, {"id": 3, "dtype": "float32", "shape": [2, 2], "layout": "sparse_csr", "components": [0, 1, 2]},
    {"id": 4, "dtype": "int64", "shape": [2, 2], "values": [0, 1, 1, 0]}, {"id": 5, "dtype": "float32", "shape": [2, 2], "layout": "sparse", "components": [4, 2]})";
  for (int id : {3, 5}) {
    auto captured = worker()->capture(program_of(R"({"minrepro_program": 1, "device": "cpu", "leaves": [)" + parts + R"(],
      "calls": [{"op": "aten::to_dense", "args": {"self": {"tensor": )" + std::to_string(id) + R"(}}, "results": [9]}, {"op": "aten::neg", "args": {"self": {"tensor": 9}}, "results": [10]}]})"), 1, {});
    ASSERT_TRUE(captured) << captured.error().message;
    EXPECT_EQ(values<float>(captured->at(9)), (std::vector<float>{0, 5, 6, 0})) << id;
  }
  // A row pointer that leads astray is the program's own business: it crashes the operator, not the making of the leaf.
  const Outcome outcome = run(R"({"minrepro_program": 1, "device": "cpu", "leaves": [{"id": 0, "dtype": "int64", "shape": [3], "values": [2199023255552, 1099511627776, 0]},
    {"id": 1, "dtype": "int64", "shape": [2], "values": [0, 1]}, {"id": 2, "dtype": "float32", "shape": [2], "constant": 1},
    {"id": 3, "dtype": "float32", "shape": [2, 2], "layout": "sparse_csr", "components": [0, 1, 2]}],
    "calls": [{"op": "aten::to_dense", "args": {"self": {"tensor": 3}}, "results": [4]}]})");
  EXPECT_EQ(outcome.kind, FailureKind::kSignal) << outcome.message;
  EXPECT_EQ(outcome.message, "SIGSEGV");
  EXPECT_EQ(outcome.call, 0);
}

TEST_F(Leaves, AMalformedOneIsInvalidAndNamed) {
  Program program = program_of(gather(5, 1));
  program.leaves[1].fill = ValuesFill{};
  EXPECT_THAT(run(std::vector<Program>{program}).front().message, testing::HasSubstr("leaves[1]"));
  program = program_of(gather(5, 1));
  program.leaves[0].view = ViewOf{77, 0};
  const Outcome outcome = run(std::vector<Program>{program}).front();
  EXPECT_EQ(outcome.kind, FailureKind::kInvalid);
  EXPECT_THAT(outcome.message, testing::HasSubstr("leaves[0]"));
  program.leaves[0].view.reset();
  program.leaves.push_back(program.leaves[0]);
  program.leaves.back().id = 50;
  program.leaves.back().view = ViewOf{0, 1'000'000};
  EXPECT_EQ(run(std::vector<Program>{program}).front().kind, FailureKind::kInvalid);
}

}  // namespace
}  // namespace minrepro
