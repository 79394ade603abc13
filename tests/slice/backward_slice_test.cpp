#include "harness/slice/backward_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace minrepro {
namespace {
using testing::ElementsAre;

struct BackwardSlice : testing::Test {
  TraceBuilder b;
  int neg = b.op("aten::neg(Tensor self) -> Tensor");
  int add_ = b.op("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  int view = b.op("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)");
  int rand = b.op("aten::rand(SymInt[] size) -> Tensor");
  int each = b.op("aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()");
};

TEST_F(BackwardSlice, FollowsResultsBackAndLeavesTheRestOut) {
  b.call(neg, {b.tensor(1)}, {b.tensor(2)});
  b.call(neg, {b.tensor(1)}, {b.tensor(3)});          // not needed
  b.call(neg, {b.tensor(2)}, {b.tensor(4)});
  b.call(neg, {b.tensor(3)}, {b.tensor(5)});          // not needed
  b.call(neg, {b.tensor(4)}, {});
  EXPECT_THAT(backward_slice(b.trace, 4), ElementsAre(0, 2, 4));
}

TEST_F(BackwardSlice, WritesThroughAViewReachTheWholeStorage) {
  b.call(neg, {b.tensor(1)}, {b.tensor(2, 0, {8})});
  b.call(view, {b.tensor(2, 0, {8}), Value::List{int64_t{2}, int64_t{4}}}, {b.tensor(2, 0, {2, 4})});
  b.call(add_, {b.tensor(2, 0, {2, 4}), b.tensor(9), int64_t{1}}, {b.tensor(2, 0, {2, 4})});
  b.call(neg, {b.tensor(2, 0, {8})}, {});
  EXPECT_THAT(backward_slice(b.trace, 3), ElementsAre(0, 1, 2, 3));
}

TEST_F(BackwardSlice, AViewThatNobodyLooksThroughIsLeftOut) {
  b.call(neg, {b.tensor(1)}, {b.tensor(2, 0, {8})});
  b.call(view, {b.tensor(2, 0, {8}), Value::List{}}, {b.tensor(2, 0, {2, 4})});
  b.call(neg, {b.tensor(2, 0, {8})}, {});
  EXPECT_THAT(backward_slice(b.trace, 2), ElementsAre(0, 2));
}

TEST_F(BackwardSlice, WritesToListsCount) {
  b.call(each, {Value::List{b.tensor(1), b.tensor(2)}, int64_t{1}}, {});
  b.call(neg, {b.tensor(2)}, {});
  EXPECT_THAT(backward_slice(b.trace, 1), ElementsAre(0, 1));
}

TEST_F(BackwardSlice, ACallThatThrewWroteNothing) {
  b.call(add_, {b.tensor(1), b.tensor(2), int64_t{1}}, {}, CallState::kThrew);
  b.call(neg, {b.tensor(1)}, {});
  EXPECT_THAT(backward_slice(b.trace, 1), ElementsAre(1));
}

TEST_F(BackwardSlice, RandomCallsNeedTheRandomCallsBeforeThem) {
  b.trace.calls[static_cast<std::size_t>(b.call(rand, {Value::List{int64_t{4}}}, {b.tensor(1)}))].seed_hint = 42;
  b.trace.calls[static_cast<std::size_t>(b.call(rand, {Value::List{int64_t{4}}}, {b.tensor(2)}))].seed_hint = 42;
  b.call(neg, {b.tensor(2)}, {});
  EXPECT_THAT(backward_slice(b.trace, 2), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace minrepro
