#include "harness/program/order.h"

#include <gtest/gtest.h>

namespace minrepro {
namespace {

Program gather_program() {
  Program p;
  p.leaves = {{0, {DType::kFloat32, {4, 8}, {8, 1}, "strided"}, {}, RandomFill{42}, {}, {}, false},
              {1, {DType::kInt64, {4, 2}, {2, 1}, "strided"}, {}, ConstantFill{9}, {}, {}, false}};
  p.calls = {{"aten::gather", {{"self", TensorRef{0}}, {"dim", int64_t{1}}, {"index", TensorRef{1}}}, {2}, {}, {}}};
  return p;
}

TEST(Order, AProgramIsNotSimplerThanItself) { EXPECT_FALSE(is_simpler(gather_program(), gather_program())); }

TEST(Order, FewerCallsBeatFewerElements) {
  Program two = gather_program();
  two.calls.push_back({"aten::neg", {{"self", TensorRef{2}}}, {3}, {}, {}});
  two.leaves[0].meta = {DType::kFloat32, {1, 1}, {1, 1}, "strided"};
  EXPECT_TRUE(is_simpler(gather_program(), two));
}

TEST(Order, EachThingThatAReaderSuffersFromCosts) {
  const Program base = gather_program();
  const auto worse = [&](auto&& change) {
    Program p = base;
    change(p);
    return is_simpler(base, p) && !is_simpler(p, base);
  };
  EXPECT_TRUE(worse([](Program& p) { p.leaves[0].meta.sizes[0] = 5; }));
  EXPECT_TRUE(worse([](Program& p) { p.leaves[0].meta.strides = {1, 4}; }));
  EXPECT_TRUE(worse([](Program& p) { p.leaves[0].meta.dtype = DType::kFloat16; }));
  EXPECT_TRUE(worse([](Program& p) { p.leaves[0].device = "cpu"; }));
  EXPECT_TRUE(worse([](Program& p) { p.leaves[1].fill = RandomFill{1}; }));
  EXPECT_TRUE(worse([](Program& p) { p.leaves[1].fill = ConstantFill{90}; }));
  EXPECT_TRUE(worse([](Program& p) { p.calls[0].seed = 1; }));
  EXPECT_TRUE(worse([](Program& p) { p.calls[0].args.push_back({"sparse_grad", true}); }));
  EXPECT_TRUE(worse([](Program& p) { *p.calls[0].find("dim") = int64_t{-1}; }));
}

TEST(Order, AFactorOfOneIsAsPlainAsZero) {
  const auto with_value = [](double value) {
    Program program = gather_program();
    program.calls[0].args.push_back({"value", value});
    return program;
  };
  EXPECT_FALSE(is_simpler(with_value(0.0), with_value(1.0)));
  EXPECT_TRUE(is_simpler(with_value(1.0), with_value(2.0)));
}

TEST(Order, HugeShapesSaturateInsteadOfWrapping) {
  Program huge = gather_program();
  huge.leaves[0].meta = {DType::kFloat32, {INT64_MAX, INT64_MAX}, {1, 1}, "strided"};
  EXPECT_EQ(complexity_of(huge).elements, INT64_MAX);
}

}  // namespace
}  // namespace minrepro
