#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "harness/program/order.h"
#include "harness/program/text_form.h"
#include "harness/program/validate.h"
#include "reducers/reducer.h"
#include "tests/support/fake_question.h"
#include "tests/support/programs.h"

namespace minrepro {
namespace {

Program random_program(std::mt19937_64& random) {
  Program p;
  p.device = "cpu";
  const int leaves = 2 + static_cast<int>(random() % 3);
  for (int i = 0; i < leaves; ++i) {
    Leaf leaf;
    leaf.id = i;
    leaf.meta.dtype = random() % 3 ? DType::kFloat32 : DType::kFloat16;
    for (std::size_t d = random() % 3; d-- > 0;) leaf.meta.sizes.push_back(1 + static_cast<int64_t>(random() % 9));
    leaf.meta.strides = contiguous_strides(leaf.meta.sizes);
    if (random() % 2) {
      auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(numel(leaf.meta.sizes) * size_of(leaf.meta.dtype)));
      for (std::byte& b : *bytes) b = static_cast<std::byte>(random() % 60);
      leaf.fill = ValuesFill{bytes};
    } else {
      leaf.fill = RandomFill{random() % 100};
    }
    p.leaves.push_back(leaf);
  }
  int next = leaves;
  for (std::size_t n = 1 + random() % 12; n-- > 0;) {
    const int a = static_cast<int>(random() % static_cast<uint64_t>(next)), b = static_cast<int>(random() % static_cast<uint64_t>(next));
    switch (random() % 4) {
      case 0: p.calls.push_back({"aten::neg", {{"self", TensorRef{a}}}, {next}, {}, {}}); break;
      case 1: p.calls.push_back({"aten::add.Tensor", {{"self", TensorRef{a}}, {"other", TensorRef{b}}, {"alpha", static_cast<int64_t>(random() % 50)}}, {next}, {}, {}}); break;
      case 2: p.calls.push_back({"aten::add_.Tensor", {{"self", TensorRef{a}}, {"other", TensorRef{b}}}, {next}, {}, {}}); break;
      default: p.calls.push_back({"aten::cat", {{"tensors", Value::List{TensorRef{a}, TensorRef{b}, TensorRef{a}}}, {"dim", int64_t{0}}}, {next}, {}, {}});
    }
    ++next;
  }
  return p;
}

/// Some property of programs, whatever it means: a random mix of "at least so many calls / elements / of that operator", or a hash.
std::function<bool(const Program&)> random_predicate(std::mt19937_64& random) {
  const uint64_t kind = random() % 4, k = random() % 6, salt = random();
  return [=](const Program& p) {
    switch (kind) {
      case 0: return p.calls.size() >= k;
      case 1: return count_elements(p) >= static_cast<int64_t>(k * 3);
      case 2: return std::count_if(p.calls.begin(), p.calls.end(), [](const Call& c) { return c.op == "aten::cat"; }) >= static_cast<int64_t>(k % 3);
      default: return std::hash<std::string>()(to_text(p)) % 3 != salt % 3;
    }
  };
}

TEST(ReducerProperties, UnderArbitraryPredicates) {
  const OpCatalog catalog = test_catalog();
  std::mt19937_64 random(11);
  for (int round = 0; round < 150; ++round) {
    const Program p = random_program(random);
    const auto predicate = random_predicate(random);
    if (!predicate(p)) continue;
    std::map<int, TensorMeta> metas;
    for (const Call& call : p.calls) metas[call.results[0]] = {DType::kFloat32, {2, 3}, {3, 1}, "strided"};

    Complexity last = complexity_of(p);
    ReduceOptions options;
    options.max_questions = 3000;
    options.on_step = [&](const ReductionStep& step) {
      EXPECT_LT(complexity_of(*step.program), last);                     // strictly down
      last = complexity_of(*step.program);
      EXPECT_TRUE(validate(*step.program, catalog).ok());
      EXPECT_TRUE(predicate(*step.program));                             // still interesting
    };
    FakeQuestion question(predicate, 1 + round % 3);
    const Reduction once = reduce(p, metas, catalog, question, StopCondition(), options);
    EXPECT_TRUE(predicate(once.program));
    EXPECT_LE(question.asked, 3000 + 2);

    FakeQuestion same(predicate, 1 + round % 3);
    options.on_step = nullptr;
    EXPECT_EQ(to_text(reduce(p, metas, catalog, same, StopCondition(), options).program), to_text(once.program));    // the same for the same answers

    if (once.end != ReductionEnd::kMinimal) continue;
    FakeQuestion again(predicate);
    EXPECT_EQ(to_text(reduce(once.program, metas, catalog, again, StopCondition(), options).program), to_text(once.program));   // a second run changes nothing
  }
}

}  // namespace
}  // namespace minrepro
