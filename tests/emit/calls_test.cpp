#include "harness/emit/call_cpp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emit/public_form.h"
#include "tests/emit/catalog.h"
#include "tests/support/programs.h"

namespace minrepro::emit {
namespace {

/// Leaves 0 and 1 are x and y.
std::string written(const std::string& call, EmitStyle style = EmitStyle::kReadable) {
  static const OpCatalog catalog = emit_catalog();
  const Program program = program_of(
      R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 0}, {"id": 1, "dtype": "int64", "shape": [2], "constant": 0})", call);
  Identifiers identifiers;
  Spellings spellings{{0, identifiers.unique("x")}, {1, identifiers.unique("y")}};
  CallWriter writer(program, catalog, style, identifiers, spellings);
  Result<std::string> text = writer.write(program.calls.front());
  return text ? *text : "error: " + text.error().message;
}

struct Case {
  const char* call;
  const char* text;
};

TEST(Calls, InThePublicApi) {
  const Case cases[] = {
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]})", "  auto result = x.gather(/*dim=*/1, y);\n"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}, "sparse_grad": false}, "results": [2]})", "  auto result = x.gather(/*dim=*/1, y);\n"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}, "sparse_grad": true}, "results": [2]})",
       "  auto result = x.gather(/*dim=*/1, y, /*sparse_grad=*/true);\n"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2], "seed": 7})",
       "  torch::manual_seed(7);\n  auto result = x.gather(/*dim=*/1, y);\n"},
      {R"({"op": "aten::scatter_.value", "args": {"self": {"tensor": 0}, "dim": 0, "index": {"tensor": 1}, "value": 1}, "results": [2]})",
       "  x.scatter_(/*dim=*/0, y, /*value=*/1);\n"},
      {R"({"op": "aten::cross_entropy_loss", "args": {"self": {"tensor": 0}, "target": {"tensor": 1}, "ignore_index": -1}, "results": [2]})",
       "  auto result = torch::cross_entropy_loss(x, y, /*weight=*/std::nullopt, /*reduction=*/1, /*ignore_index=*/-1);\n"},
      {R"({"op": "aten::add.out", "args": {"self": {"tensor": 0}, "other": {"tensor": 0}, "alpha": 2, "out": {"tensor": 1}}, "results": [2]})",
       "  torch::add_out(y, x, x, /*alpha=*/2);\n"},
      {R"({"op": "aten::stack", "args": {"tensors": [{"tensor": 0}, {"tensor": 0}], "dim": 1}, "results": [2]})", "  auto result = torch::stack({x, x}, /*dim=*/1);\n"},
      {R"({"op": "aten::stack", "args": {"tensors": []}, "results": [2]})", "  auto result = torch::stack(/*tensors=*/torch::TensorList());\n"},
      {R"({"op": "aten::index.Tensor", "args": {"self": {"tensor": 0}, "indices": [null, {"tensor": 1}]}, "results": [2]})",
       "  auto result = x.index({torch::indexing::Slice(), y});\n"},
      {R"({"op": "aten::unbind.int", "args": {"self": {"tensor": 0}}, "results": [2, 3]})", "  auto parts = x.unbind();\n"},
      {R"({"op": "aten::topk", "args": {"self": {"tensor": 0}, "k": 2}, "results": [2, 3]})", "  auto [values, indices] = x.topk(/*k=*/2);\n"},
      {R"({"op": "aten::mean.dim", "args": {"self": {"tensor": 0}, "dim": [0, 1]}, "results": [2]})", "  auto result = x.mean(/*dim=*/torch::IntArrayRef({0, 1}));\n"},
      {R"({"op": "aten::normal.Tensor_float", "args": {"mean": {"tensor": 0}, "std": 2}, "results": [2]})", "  auto result = at::normal(x, /*std=*/2.0);\n"},
      {R"({"op": "aten::random_.from", "args": {"self": {"tensor": 0}, "from": 1, "to": null}, "results": [2]})",
       "  x.random_(/*from=*/1, /*to=*/std::optional<int64_t>());\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(written(c.call), c.text);
}

TEST(Calls, AnIndexThatAtTensorWouldReadOtherwiseIsAList) {
  EXPECT_EQ(written(R"({"op": "aten::index.Tensor", "args": {"self": {"tensor": 0}, "indices": [null, null]}, "results": [2]})"),
            "  auto result = x.index(/*indices=*/c10::List<std::optional<at::Tensor>>({std::nullopt, std::nullopt}));\n");
}

TEST(Calls, TheFourOptionsAreOne) {
  const auto zeros = [](const std::string& options) {
    return written(R"({"op": "aten::zeros", "args": {"size": [2])" + options + R"(}, "results": [2]})");
  };
  EXPECT_EQ(zeros(""), "  auto result = torch::zeros({2});\n");
  EXPECT_EQ(zeros(R"(, "device": {"device": "sim"})"), "  auto result = torch::zeros({2}, device);\n");
  EXPECT_EQ(zeros(R"(, "dtype": {"dtype": "int64"})"), "  auto result = torch::zeros({2}, torch::kLong);\n");
  EXPECT_EQ(zeros(R"(, "dtype": {"dtype": "int64"}, "layout": {"layout": "strided"}, "device": {"device": "sim"}, "pin_memory": false)"),
            "  auto result = torch::zeros({2}, torch::dtype(torch::kLong).device(device));\n");
  EXPECT_EQ(zeros(R"(, "device": {"device": "cpu"})"), "  auto result = torch::zeros({2});\n");
  EXPECT_EQ(zeros(R"(, "layout": {"layout": "sparse"})"), "  auto result = torch::zeros({2}, torch::layout(torch::kSparse));\n");
}

TEST(Calls, ThroughTheDispatcherEveryArgumentIsThere) {
  EXPECT_EQ(written(R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]})", EmitStyle::kDispatcher),
            "  auto result = call(\"aten::gather\", \"\", {x, /*dim=*/1, y, /*sparse_grad=*/false})[0];\n");
  EXPECT_EQ(written(R"({"op": "aten::topk", "args": {"self": {"tensor": 0}, "k": 2}, "results": [2, 3]})", EmitStyle::kDispatcher),
            "  auto result = call(\"aten::topk\", \"\", {x, /*k=*/2, /*dim=*/-1, /*largest=*/true, /*sorted=*/true});\n");
  EXPECT_EQ(written(R"({"op": "aten::index.Tensor", "args": {"self": {"tensor": 0}, "indices": [null, {"tensor": 1}]}, "results": [2]})", EmitStyle::kDispatcher),
            "  auto result = call(\"aten::index\", \"Tensor\", {x, c10::List<std::optional<at::Tensor>>({std::nullopt, y})})[0];\n");
}

TEST(Calls, WhatThePublicApiCannotTellApartGoesThroughTheDispatcher) {
  EXPECT_THAT(written(R"({"op": "aten::clamp", "args": {"self": {"tensor": 0}}, "results": [2]})"), testing::HasSubstr("call(\"aten::clamp\""));
  EXPECT_THAT(written(R"({"op": "my_ops::gather_rows", "args": {"table": {"tensor": 0}, "rows": {"tensor": 1}}, "results": [2]})"),
              testing::HasSubstr("call(\"my_ops::gather_rows\""));
}

TEST(PublicForm, FunctionsTakeTheirOutputsFirst) {
  const OpCatalog catalog = emit_catalog();
  const PublicForm form = public_form_of(*catalog.find("aten::topk.values"), Call{"aten::topk.values", {}, {}, {}, {}});
  EXPECT_EQ(form.form, Form::kFunction);
  EXPECT_EQ(form.name, "torch::topk_out");
  EXPECT_EQ(form.order, (std::vector<std::size_t>{5, 6, 0, 1, 2, 3, 4}));
}

TEST(PublicForm, OptionsAreFoundByTheirMembers) {
  const OpCatalog catalog = emit_catalog();
  EXPECT_EQ(public_form_of(*catalog.find("aten::zeros"), Call{"aten::zeros", {}, {}, {}, {}}).options, 1);
  EXPECT_EQ(public_form_of(*catalog.find("aten::gather"), Call{"aten::gather", {}, {}, {}, {}}).options, -1);
}

}  // namespace
}  // namespace minrepro::emit
