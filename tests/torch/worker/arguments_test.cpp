#include <gmock/gmock.h>

#include <cstring>

#include "tests/oracle/worker_under_test.h"

/// Every kind of argument that a schema asks for reaches the operator as it should.
namespace minrepro {
namespace {

class Arguments : public WithWorker {
 protected:
  /// What the calls of `text` leave in tensor `id`: captured as the argument of one more call.
  template <typename T>
  static std::vector<T> values(std::string_view text, int id) {
    Program program = program_of(text);
    const int call = static_cast<int>(program.calls.size());
    program.calls.push_back({"aten::neg", {{"self", TensorRef{id}}}, {next_id(program)}, {}, {}});
    auto captured = worker()->capture(program, call, {});
    EXPECT_TRUE(captured) << (captured ? "" : captured.error().message);
    if (!captured || !captured->contains(id)) return {};
    const std::vector<std::byte>& data = captured->at(id).data;
    std::vector<T> out(data.size() / sizeof(T));
    std::memcpy(out.data(), data.data(), out.size() * sizeof(T));
    return out;
  }
};

std::string cpu(std::string_view leaves, std::string_view calls) {
  return R"({"minrepro_program": 1, "device": "cpu", "leaves": [)" + std::string(leaves) + R"(], "calls": [)" + std::string(calls) + "]}";
}
constexpr std::string_view kTwo = R"({"id": 0, "dtype": "float32", "shape": [2], "values": [1, 2]}, {"id": 1, "dtype": "float32", "shape": [2], "values": [3, 4]})";

TEST_F(Arguments, DefaultsComeFromTheSchema) {
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::add.Tensor", "args": {"self": {"tensor": 0}, "other": {"tensor": 1}}, "results": [2]})"), 2),
            (std::vector<float>{4, 6}));
}

TEST_F(Arguments, OrderIsTheSchemasNotTheProgramsOwn) {
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::sub.Tensor", "args": {"alpha": 2, "other": {"tensor": 1}, "self": {"tensor": 0}}, "results": [2]})"), 2),
            (std::vector<float>{-5, -6}));
}

TEST_F(Arguments, ScalarsOfEachKind) {
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::mul.Scalar", "args": {"self": {"tensor": 0}, "other": 2.5}, "results": [2]})"), 2), (std::vector<float>{2.5, 5}));
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::mul.Scalar", "args": {"self": {"tensor": 0}, "other": true}, "results": [2]})"), 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::mul.Scalar", "args": {"self": {"tensor": 0}, "other": {"complex": [0, 1]}}, "results": [2]})"), 2),
            (std::vector<float>{0, 1, 0, 2}));
  EXPECT_EQ(values<int64_t>(cpu("", R"({"op": "aten::full", "args": {"size": [1], "fill_value": 9007199254740993, "dtype": {"dtype": "int64"}}, "results": [0]})"), 0),
            (std::vector<int64_t>{9007199254740993}));
}

TEST_F(Arguments, DtypeLayoutDeviceAndMemoryFormat) {
  EXPECT_EQ(values<double>(cpu("", R"({"op": "aten::zeros", "args": {"size": [2], "dtype": {"dtype": "float64"}, "layout": {"layout": "strided"},
                                       "device": {"device": "cuda:0"}, "pin_memory": false}, "results": [0]})"), 0),
            (std::vector<double>{0, 0})) << "an accelerator means the program's own device";
  const Outcome outcome = run(cpu(R"({"id": 0, "dtype": "float32", "shape": [1, 2, 3, 4], "constant": 1})",
                                  R"({"op": "aten::clone", "args": {"self": {"tensor": 0}, "memory_format": {"memory_format": "channels_last"}}, "results": [1]})"));
  EXPECT_EQ(outcome.kind, FailureKind::kNone) << outcome.message;
}

TEST_F(Arguments, ListsOfTensorsAndResultsOfLists) {
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::stack", "args": {"tensors": [{"tensor": 0}, {"tensor": 1}]}, "results": [2]},
                                       {"op": "aten::unbind.int", "args": {"self": {"tensor": 2}, "dim": 1}, "results": [3, 4]})"), 4),
            (std::vector<float>{2, 4}));
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::_foreach_add_.ScalarList", "args": {"self": [{"tensor": 0}, {"tensor": 1}], "scalars": [10, 0.5]}, "results": []})"), 1),
            (std::vector<float>{3.5, 4.5}));
}

TEST_F(Arguments, ListOfOptionalTensors) {
  EXPECT_EQ(values<float>(cpu(R"({"id": 0, "dtype": "float32", "shape": [2, 2], "values": [1, 2, 3, 4]}, {"id": 1, "dtype": "int64", "shape": [1], "values": [1]})",
                              R"({"op": "aten::index.Tensor", "args": {"self": {"tensor": 0}, "indices": [null, {"tensor": 1}]}, "results": [2]})"), 2),
            (std::vector<float>{2, 4}));
}

TEST_F(Arguments, OneNumberForAListOfFixedLength) {
  EXPECT_EQ(values<float>(cpu(R"({"id": 0, "dtype": "float32", "shape": [1, 1, 2, 2], "values": [1, 2, 3, 4]})",
                              R"({"op": "aten::avg_pool2d", "args": {"self": {"tensor": 0}, "kernel_size": 2}, "results": [1]})"), 1),
            (std::vector<float>{2.5}));
}

TEST_F(Arguments, FloatsStringsAndOptionalNumbers) {
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::div.Tensor_mode", "args": {"self": {"tensor": 1}, "other": {"tensor": 0}, "rounding_mode": "floor"}, "results": [2]})"), 2),
            (std::vector<float>{3, 2}));
  EXPECT_EQ(values<float>(cpu(kTwo, R"({"op": "aten::clamp", "args": {"self": {"tensor": 1}, "min": null, "max": 3.5}, "results": [2]})"), 2), (std::vector<float>{3, 3.5}));
  EXPECT_EQ(values<float>(cpu(R"({"id": 0, "dtype": "float32", "shape": [1, 1, 2], "values": [1, 2]})",
                              R"({"op": "aten::upsample_nearest1d.vec", "args": {"input": {"tensor": 0}, "output_size": null, "scale_factors": [2.0]}, "results": [1]})"), 1),
            (std::vector<float>{1, 1, 2, 2}));
}

TEST_F(Arguments, GeneratorsAndSeedsRepeat) {
  const std::string text = cpu("", R"({"op": "aten::rand.generator", "args": {"size": [2], "generator": {"generator": 7}}, "results": [0]},
                                      {"op": "aten::rand", "args": {"size": [2]}, "results": [1], "seed": 7})");
  const auto own = values<float>(text, 0);
  EXPECT_EQ(own, values<float>(text, 1)) << "the default generator, seeded alike";
  EXPECT_EQ(own, values<float>(text, 0));
  EXPECT_NE(own[0], own[1]);
}

TEST_F(Arguments, WhatDoesNotFitIsInvalidAndNamed) {
  const struct {
    std::string_view call, says;
  } kCases[] = {
      {R"({"op": "aten::neg", "args": {"self": 3}, "results": [2]})", "argument 'self' does not fit the schema's Tensor"},
      {R"({"op": "aten::neg", "args": {}, "results": [2]})", "argument 'self' is missing"},
      {R"({"op": "aten::neg", "args": {"self": {"tensor": 77}}, "results": [2]})", "tensor 77"},
      {R"({"op": "aten::neg", "args": {"self": {"tensor": 0}, "selv": 1}, "results": [2]})", "no argument 'selv'"},
      {R"({"op": "aten::cumsum", "args": {"self": {"tensor": 0}, "dim": "x"}, "results": [2]})", "argument 'dim'"},
      {R"({"op": "aten::cumsum", "args": {"self": {"tensor": 0}, "dim": 1.5}, "results": [2]})", "argument 'dim'"},
      {R"({"op": "aten::stack", "args": {"tensors": [{"tensor": 0}, 4]}, "results": [2]})", "argument 'tensors' [1]"},
      {R"({"op": "aten::zeros", "args": {"size": [2], "device": {"device": "toaster"}}, "results": [2]})", "toaster"},
      {R"({"op": "aten::neg", "args": {"self": {"opaque": "__torch__.X"}}, "results": [2]})", "__torch__.X"},
  };
  for (const auto& [call, says] : kCases) {
    const Outcome outcome = run_here(cpu(kTwo, call));
    EXPECT_EQ(outcome.kind, FailureKind::kInvalid) << call;
    EXPECT_THAT(outcome.message, testing::HasSubstr(says));
    EXPECT_THAT(outcome.message, testing::HasSubstr("calls[0]"));
  }
}

}  // namespace
}  // namespace minrepro
