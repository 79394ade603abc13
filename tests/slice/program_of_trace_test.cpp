#include "harness/slice/program_of_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/program/validate.h"
#include "tests/support/trace_builder.h"

namespace minrepro {
namespace {

struct ProgramOfTrace : testing::Test {
  TraceBuilder b;
  int neg = b.op("aten::neg(Tensor self) -> Tensor");
  int gather = b.op("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor");
  int add_ = b.op("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  int out = b.op("aten::gather.out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!) out) -> Tensor(a!)");

  OpCatalog catalog() const {
    OpCatalog c;
    for (const Schema& schema : b.trace.ops) c.add(schema);
    return c;
  }
  TraceProgram program(std::vector<int> calls) {
    Result<TraceProgram> p = program_of_calls(b.trace, calls, "sim");
    EXPECT_TRUE(p.ok()) << (p.ok() ? "" : p.error().message);
    if (!p.ok()) return {};
    const Status valid = validate(p->program, catalog());
    EXPECT_TRUE(valid.ok()) << valid.error().message;
    return *p;
  }
};

TEST_F(ProgramOfTrace, ACallAloneTakesCapturedElementsAndSaysWhichAreUnknown) {
  b.call(gather, {b.tensor(1), int64_t{0}, b.integers(2, {0, 7}), false}, {b.tensor(3, 0, {2})});
  const TraceProgram p = program({0});
  ASSERT_EQ(p.program.leaves.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<RandomFill>(p.program.leaves[0].fill));
  EXPECT_TRUE(std::holds_alternative<ValuesFill>(p.program.leaves[1].fill));
  EXPECT_EQ(p.unknown, std::vector<int>{p.program.leaves[0].id});
  EXPECT_EQ(p.program.calls[0].find("sparse_grad"), nullptr);                       // left at its default
  EXPECT_EQ(p.result_metas.at(p.program.calls[0].results[0]).sizes, std::vector<int64_t>{2});
}

TEST_F(ProgramOfTrace, TheSourceLineComesWithoutTheFoldersOfTheUsersMachine) {
  b.trace.sources = {{"/home/someone/project/train.py", 37, "step", "y = -x"}};
  b.trace.calls[static_cast<std::size_t>(b.call(neg, {b.tensor(1)}, {b.tensor(2)}))].source = 0;
  EXPECT_EQ(program({0}).program.calls[0].source, (SourceLine{"train.py", 37, "step", "y = -x"}));
}

TEST_F(ProgramOfTrace, ResultsOfEarlierCallsAreUsedNotCopied) {
  b.call(neg, {b.tensor(1)}, {b.tensor(2)});
  b.call(neg, {b.tensor(2)}, {b.tensor(3)});
  const TraceProgram p = program({0, 1});
  EXPECT_EQ(p.program.leaves.size(), 1u);
  EXPECT_EQ(*p.program.calls[1].find("self"), Value(TensorRef{p.program.calls[0].results[0]}));
}

TEST_F(ProgramOfTrace, ViewsThatAreOnlyReadBecomeLeavesOfTheirOwn) {
  b.call(add_, {b.tensor(5), b.tensor(1, 0), int64_t{1}}, {b.tensor(5)});
  b.call(add_, {b.tensor(5), b.tensor(1, 4), int64_t{1}}, {b.tensor(5)});
  for (const Leaf& leaf : program({0, 1}).program.leaves) EXPECT_FALSE(leaf.view);
}

TEST_F(ProgramOfTrace, ViewsOfMemoryThatIsWrittenStayAliased) {
  b.call(add_, {b.tensor(1, 0), b.tensor(9), int64_t{1}}, {b.tensor(1, 0)});
  b.call(add_, {b.tensor(1, 2), b.tensor(9), int64_t{1}}, {b.tensor(1, 2)});
  const TraceProgram p = program({0, 1});
  const Leaf* base = p.program.find_leaf(p.program.calls[0].find("self")->get_if<TensorRef>()->id);
  const Leaf* other = p.program.find_leaf(p.program.calls[1].find("self")->get_if<TensorRef>()->id);
  ASSERT_TRUE(base && other);
  ASSERT_TRUE(base->view && other->view);
  EXPECT_EQ(base->view->base, other->view->base);
  EXPECT_EQ(p.program.find_leaf(base->view->base)->meta.sizes, std::vector<int64_t>{6});
}

TEST_F(ProgramOfTrace, AMemoryOfImpossibleExtentIsRefusedNotMade) {
  b.call(add_, {b.tensor(1, 0), b.tensor(9), int64_t{1}}, {b.tensor(1, 0)});
  b.call(add_, {b.tensor(1, 2), b.tensor(9), int64_t{1}}, {b.tensor(1, 2)});
  for (const bool is_cut : {false, true}) {
    for (TraceTensor& tensor : b.trace.tensors) {
      if (tensor.storage_offset != 2) continue;
      tensor.meta.sizes = {int64_t{1} << 62, int64_t{1} << 62};
      tensor.meta.strides = is_cut ? std::vector<int64_t>{} : tensor.meta.sizes;
    }
    const int calls[] = {0, 1};
    const Result<TraceProgram> p = program_of_calls(b.trace, calls, "sim");
    EXPECT_TRUE(!p.ok() || !validate(p->program, catalog()).ok());
  }
}

TEST_F(ProgramOfTrace, AViewOfAResultThatNobodyMadeIsMadeWithAsStrided) {
  b.op("aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)");
  b.call(neg, {b.tensor(1)}, {b.tensor(2)});
  b.call(neg, {b.tensor(2, 1, {2})}, {b.tensor(3, 0, {2})});
  const TraceProgram p = program({0, 1});
  ASSERT_EQ(p.program.calls.size(), 3u);
  EXPECT_EQ(p.program.calls[1].op, "aten::as_strided");
}

TEST_F(ProgramOfTrace, HostTensorsStayOnTheHost) {
  const Value scalar = b.tensor(1, 0, {});
  b.trace.tensors.back().device = "cpu";
  b.trace.tensors.back().is_wrapped_number = true;
  b.call(neg, {scalar}, {b.tensor(2, 0, {})});
  const TraceProgram p = program({0});
  EXPECT_EQ(p.program.leaves[0].device, "cpu");
  EXPECT_TRUE(p.program.leaves[0].is_wrapped_number);
}

TEST_F(ProgramOfTrace, AnObjectThatAProgramCannotHoldIsAnError) {
  const int odd = b.op("my::op(Tensor x, __torch__.torch.classes.my.Thing t) -> Tensor");
  b.call(odd, {b.tensor(1), OpaqueValue{"Thing"}}, {});
  const int calls[] = {0};
  const auto p = program_of_calls(b.trace, calls, "sim");
  ASSERT_FALSE(p.ok());
  EXPECT_THAT(p.error().message, testing::HasSubstr("argument 't' is an object of type Thing"));
}

TEST_F(ProgramOfTrace, AViolationBecomesTheFunctionalOverload) {
  b.call(neg, {b.tensor(1)}, {});
  TraceViolation violation;
  violation.call = 0;
  violation.op = "aten::gather.out";
  violation.op_index = out;
  violation.args = {b.tensor(1), int64_t{0}, b.integers(2, {9}), false, b.tensor(4, 0, {1})};
  const auto p = program_of_violation(b.trace, violation, catalog(), "sim");
  ASSERT_TRUE(p.ok()) << p.error().message;
  EXPECT_EQ(p->program.calls[0].op, "aten::gather");
  EXPECT_EQ(p->program.leaves.size(), 2u);
  EXPECT_EQ(p->program.calls[0].results.size(), 1u);
}

}  // namespace
}  // namespace minrepro
