#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emit/emit.h"
#include "tests/emit/catalog.h"
#include "tests/support/programs.h"

namespace minrepro {
namespace {

struct Mistake {
  const char* call;
  const char* complaint;
};

TEST(EmitErrors, SayWhichCallAndWhichArgument) {
  const Mistake mistakes[] = {
      {R"({"op": "aten::no_such_op", "args": {}, "results": [2]})", "calls[0]: aten::no_such_op"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1}, "results": [2]})", "argument 'index' (Tensor) is missing"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 9}, "dim": 1, "index": {"tensor": 0}}, "results": [2]})", "argument 'self' is tensor 9, which nothing before it makes"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1.5, "index": {"tensor": 0}}, "results": [2]})", "argument 'dim' is a float, the schema asks for int"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": null, "index": {"tensor": 0}}, "results": [2]})", "argument 'dim' is None, the schema asks for int"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": [1], "index": {"tensor": 0}}, "results": [2]})", "argument 'dim' is a list, the schema asks for int"},
      {R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 0}, "what": 1}, "results": [2]})", "there is no argument 'what'"},
      {R"({"op": "aten::neg", "args": {"self": {"opaque": "__torch__.X"}}, "results": [2]})", "__torch__.X"},
      {R"({"op": "aten::stack", "args": {"tensors": {"tensor": 0}}, "results": [2]})", "argument 'tensors' is no list"},
      {R"({"op": "aten::stack", "args": {"tensors": [{"tensor": 0}, {"tensor": 7}]}, "results": [2]})", "argument 'tensors' [1] is tensor 7"},
  };
  const OpCatalog catalog = emit_catalog();
  for (const Mistake& mistake : mistakes) {
    const Program program = program_of(R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 0})", mistake.call);
    const auto readable = emit_repro_cpp(program, catalog, {}, EmitStyle::kReadable);
    const auto boxed = emit_repro_cpp(program, catalog, {}, EmitStyle::kDispatcher);
    const auto python = emit_repro_py(program, catalog, {});
    for (const auto* text : {&readable, &boxed, &python}) {
      ASSERT_FALSE(text->ok()) << mistake.call;
      EXPECT_THAT(text->error().message, testing::HasSubstr(mistake.complaint));
      EXPECT_THAT(text->error().message, testing::StartsWith("calls[0]: "));
    }
  }
}

TEST(EmitErrors, AProgramHasACall) {
  EXPECT_FALSE(emit_repro_cpp({}, {}, {}, EmitStyle::kReadable).ok());
  EXPECT_FALSE(emit_repro_py({}, {}, {}).ok());
}

TEST(HasPublicCpp, IsFalseWhereOneCallHasNone) {
  const std::string leaf = R"({"id": 0, "dtype": "float32", "shape": [2], "constant": 0})";
  const std::string neg = R"({"op": "aten::neg", "args": {"self": {"tensor": 0}}, "results": [1]})";
  const std::string custom = R"({"op": "my_ops::gather_rows", "args": {"table": {"tensor": 0}, "rows": {"tensor": 0}}, "results": [2]})";
  EXPECT_TRUE(has_public_cpp(program_of(leaf, neg), emit_catalog()));
  EXPECT_FALSE(has_public_cpp(program_of(leaf, neg + "," + custom), emit_catalog()));
  EXPECT_FALSE(has_public_cpp(program_of(leaf, R"({"op": "aten::unknown", "args": {}, "results": []})"), emit_catalog()));
}

}  // namespace
}  // namespace minrepro
