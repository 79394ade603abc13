#include "harness/program/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/program/text_form.h"

namespace minrepro {
namespace {

OpCatalog catalog() {
  OpCatalog c;
  for (const char* text : {"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
                           "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
                           "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None) -> Tensor",
                           "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], bool ceil_mode=False) -> Tensor"})
    c.add(*parse_schema(text));
  return c;
}

std::string complaint(const std::string& leaves, const std::string& calls) {
  const auto p = program_from_text("{\"minrepro_program\": 1, \"leaves\": [" + leaves + "], \"calls\": [" + calls + "]}");
  if (!p) return "unreadable: " + p.error().message;
  const Status status = validate(*p, catalog());
  return status ? "" : status.error().message;
}

const std::string kLeaves = R"({"id": 0, "dtype": "float32", "shape": [2, 3], "constant": 0}, {"id": 1, "dtype": "int64", "shape": [2, 1], "constant": 3})";
const std::string kGather = R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]})";

TEST(Validate, AcceptsAProgramThatMeansSomething) {
  EXPECT_EQ(complaint(kLeaves, kGather), "");
  EXPECT_EQ(complaint(kLeaves, R"({"op": "aten::index.Tensor", "args": {"self": {"tensor": 0}, "indices": [null, {"tensor": 1}]}})"), "");
  EXPECT_EQ(complaint(kLeaves, R"({"op": "aten::max_pool1d", "args": {"self": {"tensor": 0}, "kernel_size": 2}})"), "");
  EXPECT_EQ(complaint("", R"({"op": "aten::full", "args": {"size": [2], "fill_value": 1.5, "dtype": {"dtype": "int64"}, "layout": null, "device": {"device": "sim"}}})"), "");
}

TEST(Validate, SaysWhatIsWrongWithACall) {
  using testing::HasSubstr;
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gatherr", "args": {}})"), HasSubstr("no such operator"));
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": "x"}})"),
              HasSubstr("argument 'index' is a string, the schema asks for Tensor"));
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1}})"), HasSubstr("argument 'index' (Tensor) is missing"));
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 7}}})"), HasSubstr("nothing before it makes"));
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1.5, "index": {"tensor": 1}}})"), HasSubstr("'dim' is a float"));
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gather", "args": {"selv": {"tensor": 0}}})"), HasSubstr("no argument 'selv'"));
  EXPECT_THAT(complaint(kLeaves, R"({"op": "aten::gather", "args": {"self": {"opaque": "X"}}})"), HasSubstr("cannot hold"));
  EXPECT_THAT(complaint(kLeaves, kGather + "," + kGather), HasSubstr("result id 2 is used twice"));
  EXPECT_THAT(complaint(kLeaves, ""), HasSubstr("there are none"));
}

TEST(Validate, SaysWhatIsWrongWithALeaf) {
  using testing::HasSubstr;
  const auto leaf = [](const std::string& text) { return complaint(text, R"({"op": "aten::full", "args": {"size": [2], "fill_value": 1}})"); };
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [-1], "constant": 0})"), HasSubstr("leaves[0].shape: -1 is negative"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "strides": [1, 1], "constant": 0})"), HasSubstr("strides"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "strides": [-1], "constant": 0})"), HasSubstr("-1 is negative"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "values": [1]})"), HasSubstr("1 elements, the shape asks for 2"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "float32", "shape": [1099511627776], "constant": 0})"), HasSubstr("16 GiB"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "float32", "shape": [4294967296, 4294967296], "constant": 0})"), HasSubstr("64 bits"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "float32", "shape": [2, 2], "strides": [9223372036854775807, 9223372036854775807], "constant": 0})"), HasSubstr("64 bits"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "float32", "shape": [4], "constant": 0}, {"id": 1, "dtype": "float32", "shape": [2], "view_of": 0, "offset": 3})"),
              HasSubstr("past the end of leaf 0"));
  EXPECT_THAT(leaf(R"({"id": 1, "dtype": "float32", "shape": [2], "view_of": 1})"), HasSubstr("no earlier strided leaf"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "constant": 0}, {"id": 0, "dtype": "int64", "shape": [2], "constant": 0})"), HasSubstr("used twice"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "layout": "sparse", "constant": 0})"), HasSubstr("needs 'components'"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "layout": "round", "constant": 0})"), HasSubstr("is no layout"));
  EXPECT_THAT(leaf(R"({"id": 0, "dtype": "int64", "shape": [2], "device": "moon", "constant": 0})"), HasSubstr("'moon' is none of"));
}

}  // namespace
}  // namespace minrepro
