#include "harness/emit/names.h"

#include <gtest/gtest.h>

#include "tests/emit/catalog.h"
#include "tests/support/programs.h"

namespace minrepro::emit {
namespace {

TEST(Identifiers, AreGivenOutOnce) {
  Identifiers identifiers;
  EXPECT_EQ(identifiers.unique("input"), "input");
  EXPECT_EQ(identifiers.unique("input"), "input2");
  EXPECT_EQ(identifiers.unique("input"), "input3");
  EXPECT_EQ(identifiers.unique("mat2"), "mat2");
  EXPECT_EQ(identifiers.unique("mat2"), "mat2_2");
}

TEST(Identifiers, AreFreeInCppAndInPython) {
  Identifiers identifiers;
  for (const char* word : {"int", "class", "lambda", "in", "device", "torch", "nan", "print", "at", "and"}) EXPECT_EQ(identifiers.unique(word), std::string(word) + "_");
  EXPECT_EQ(identifiers.unique("3d"), "x3d");
  EXPECT_EQ(identifiers.unique(""), "x");
  EXPECT_EQ(identifiers.unique("a-b.c"), "a_b_c");
}

std::string role(const std::string& op, const std::string& argument) {
  const OpCatalog catalog = emit_catalog();
  const Schema* schema = catalog.find(op);
  EXPECT_NE(schema, nullptr) << op;
  return schema == nullptr ? "" : role_of(op, *schema, argument);
}

TEST(Roles, AreWhatPeopleCallTheArguments) {
  EXPECT_EQ(role("aten::gather", "self"), "input");
  EXPECT_EQ(role("aten::gather", "index"), "index");
  EXPECT_EQ(role("aten::nll_loss_forward", "self"), "log_probs");
  EXPECT_EQ(role("aten::nll_loss_forward", "target"), "labels");
  EXPECT_EQ(role("aten::cross_entropy_loss", "self"), "logits");
  EXPECT_EQ(role("aten::one_hot", "self"), "labels");
  EXPECT_EQ(role("aten::multi_margin_loss", "self"), "scores");
  EXPECT_EQ(role("aten::multinomial", "self"), "probs");
  EXPECT_EQ(role("aten::index.Tensor", "indices"), "index");
  EXPECT_EQ(role("aten::embedding", "indices"), "indices");
  EXPECT_EQ(role("aten::add.Tensor", "self"), "x");
  EXPECT_EQ(role("aten::add.Tensor", "other"), "y");
  EXPECT_EQ(role("aten::stack", "tensors"), "part");
}

Spellings names_of(const std::string& leaves, const std::string& calls) {
  Identifiers identifiers;
  return name_leaves(program_of(leaves, calls), emit_catalog(), identifiers);
}

TEST(LeafNames, AOneHotEncodingHasLabels) {
  const std::string leaves = R"({"id": 0, "dtype": "float32", "shape": [1, 2], "constant": 0}, {"id": 1, "dtype": "int64", "shape": [1, 1], "values": [2]})";
  const auto call = [](const char* value) {
    return std::string(R"({"op": "aten::scatter_.value", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}, "value": )") + value + R"(}, "results": [2]})";
  };
  EXPECT_EQ(names_of(leaves, call("1.0")), (Spellings{{0, "one_hot"}, {1, "labels"}}));
  EXPECT_EQ(names_of(leaves, call("1")), (Spellings{{0, "one_hot"}, {1, "labels"}}));
  EXPECT_EQ(names_of(leaves, call("3.5")), (Spellings{{0, "input"}, {1, "index"}}));
}

TEST(LeafNames, TheLastCallDecides) {
  const Spellings names = names_of(R"({"id": 0, "dtype": "float32", "shape": [1, 2], "constant": 0}, {"id": 1, "dtype": "int64", "shape": [1], "values": [2]})",
                                   R"({"op": "aten::neg_", "args": {"self": {"tensor": 0}}, "results": [2]},
                                      {"op": "aten::nll_loss_forward", "args": {"self": {"tensor": 0}, "target": {"tensor": 1}, "weight": null, "reduction": 1, "ignore_index": -100}, "results": [3, 4]})");
  EXPECT_EQ(names, (Spellings{{0, "log_probs"}, {1, "labels"}}));
}

TEST(LeafNames, PartsAndBasesHaveNamesToo) {
  const Spellings names = names_of(
      R"({"id": 0, "dtype": "int64", "shape": [2, 1], "constant": 0}, {"id": 1, "dtype": "float32", "shape": [1], "constant": 0},
         {"id": 2, "dtype": "float32", "shape": [3, 3], "layout": "sparse", "components": [0, 1]},
         {"id": 3, "dtype": "float32", "shape": [4], "constant": 0}, {"id": 4, "dtype": "float32", "shape": [2], "view_of": 3, "offset": 1, "strides": [1]})",
      R"({"op": "aten::stack", "args": {"tensors": [{"tensor": 2}, {"tensor": 4}]}, "results": [5]})");
  EXPECT_EQ(names, (Spellings{{0, "indices"}, {1, "values"}, {2, "part"}, {3, "base"}, {4, "part2"}}));
}

Call call_of(const std::string& json) { return program_of("", json).calls.front(); }

TEST(Results, InPlaceCallsGoOnUnderTheOldName) {
  const OpCatalog catalog = emit_catalog();
  const Call call = call_of(R"({"op": "aten::neg_", "args": {"self": {"tensor": 0}}, "results": [1]})");
  Identifiers identifiers;
  Spellings spellings{{0, "input"}};
  const Binding binding = bind_results(call, *catalog.find(call.op), {1}, false, false, identifiers, spellings);
  EXPECT_EQ(binding.kind, Binding::Kind::kNothing);
  EXPECT_EQ(spellings[1], "input");
}

TEST(Results, SeveralTensorsAreATuple) {
  const OpCatalog catalog = emit_catalog();
  const Call call = call_of(R"({"op": "aten::topk", "args": {"self": {"tensor": 0}, "k": 1}, "results": [1, 2]})");
  Identifiers identifiers;
  Spellings spellings{{0, "input"}};
  const Binding binding = bind_results(call, *catalog.find(call.op), {2}, false, false, identifiers, spellings);
  EXPECT_EQ(binding.kind, Binding::Kind::kTuple);
  EXPECT_EQ(binding.names, (std::vector<std::string>{"values", "indices"}));
  EXPECT_EQ(spellings[2], "indices");
}

TEST(Results, AListIsIndexed) {
  const OpCatalog catalog = emit_catalog();
  const Call call = call_of(R"({"op": "aten::unbind.int", "args": {"self": {"tensor": 0}}, "results": [1, 2]})");
  Identifiers identifiers;
  Spellings spellings{{0, "input"}};
  EXPECT_EQ(bind_results(call, *catalog.find(call.op), {2}, false, false, identifiers, spellings).kind, Binding::Kind::kList);
  EXPECT_EQ(spellings[2], "parts[1]");
}

TEST(Results, WhatNobodyReadsHasNoName) {
  const OpCatalog catalog = emit_catalog();
  const Call call = call_of(R"({"op": "aten::topk", "args": {"self": {"tensor": 0}, "k": 1}, "results": [1, 2]})");
  Identifiers identifiers;
  Spellings spellings{{0, "input"}};
  EXPECT_EQ(bind_results(call, *catalog.find(call.op), {0}, false, false, identifiers, spellings).kind, Binding::Kind::kNothing);
}

TEST(Results, TheShownTensorIsAResultOrElseAnArgument) {
  const std::string leaf = R"({"id": 0, "dtype": "float32", "shape": [1], "constant": 0})";
  EXPECT_EQ(shown_tensor(program_of(leaf, R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [3]})")), 3);
  EXPECT_EQ(shown_tensor(program_of(leaf, R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [-1]})")), 0);
  EXPECT_EQ(shown_tensor(program_of("", R"({"op": "f", "args": {}, "results": []})")), -1);
}

}  // namespace
}  // namespace minrepro::emit
