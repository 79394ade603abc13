#include "reducers/reducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/program/order.h"
#include "tests/support/fake_question.h"
#include "tests/support/programs.h"

namespace minrepro {
namespace {

/// neg(neg(…)): n calls on one leaf.
Program chain(int n) {
  Program p = program_of(R"({"id": 0, "dtype": "float32", "shape": [8], "random": 1})", "");
  for (int i = 0; i < n; ++i) p.calls.push_back({"aten::neg", {{"self", TensorRef{i}}}, {i + 1}, {}, {}});
  return p;
}

std::map<int, TensorMeta> metas_of_chain(int n) {
  std::map<int, TensorMeta> metas;
  for (int i = 1; i <= n; ++i) metas[i] = {DType::kFloat32, {8}, {1}, "strided"};
  return metas;
}

Reduction reduced(const Program& p, const std::map<int, TensorMeta>& metas, FakeQuestion& question, const ReduceOptions& options = {}) {
  return reduce(p, metas, test_catalog(), question, StopCondition(), options);
}

TEST(Reducer, FindsTheOneCallThatMatters) {
  FakeQuestion question([](const Program& p) {
    return std::any_of(p.calls.begin(), p.calls.end(), [](const Call& c) { return c.results == std::vector<int>{37}; });
  });
  const Reduction r = reduced(chain(64), metas_of_chain(64), question);
  ASSERT_EQ(r.program.calls.size(), 1u);
  EXPECT_EQ(r.program.calls[0].results, std::vector<int>{37});
  EXPECT_EQ(count_elements(r.program), 1);
  EXPECT_EQ(r.end, ReductionEnd::kMinimal);
  EXPECT_LT(r.questions, 60);
}

TEST(Reducer, KeepsTwoCallsThatAreFarApart) {
  const auto has = [](const Program& p, int id) { return std::any_of(p.calls.begin(), p.calls.end(), [&](const Call& c) { return c.results[0] == id; }); };
  FakeQuestion question([&](const Program& p) { return has(p, 3) && has(p, 120); });
  const Reduction r = reduced(chain(128), metas_of_chain(128), question);
  EXPECT_EQ(r.program.calls.size(), 2u);
}

TEST(Reducer, ReturnsTheInputWhenNothingSimplerFails) {
  FakeQuestion question([](const Program&) { return false; });
  const Program p = chain(5);
  const Reduction r = reduced(p, metas_of_chain(5), question);
  EXPECT_EQ(r.program, p);
  EXPECT_EQ(r.end, ReductionEnd::kMinimal);
}

TEST(Reducer, StopsAtItsBudgetWithTheBestSoFar) {
  FakeQuestion question([](const Program& p) { return p.calls.size() >= 2; });
  ReduceOptions options;
  options.max_questions = 3;
  const Reduction r = reduced(chain(64), metas_of_chain(64), question, options);
  EXPECT_EQ(r.end, ReductionEnd::kOutOfBudget);
  EXPECT_LE(question.asked, 3);
  EXPECT_LT(r.program.calls.size(), 64u);
}

TEST(Reducer, StopsWhenInterrupted) {
  std::atomic<bool> interrupted = false;
  FakeQuestion question([&](const Program&) {
    interrupted = true;
    return true;
  });
  const Reduction r = reduce(chain(64), metas_of_chain(64), test_catalog(), question, StopCondition(1e9, &interrupted));
  EXPECT_EQ(r.end, ReductionEnd::kInterrupted);
  EXPECT_EQ(question.asked, 1);
}

TEST(Reducer, StopsWhenTimeIsUp) {
  double now = 0;
  FakeQuestion question([&](const Program&) {
    now += 10;
    return true;
  });
  const Reduction r = reduce(chain(64), metas_of_chain(64), test_catalog(), question, StopCondition(15, nullptr, [&] { return now; }));
  EXPECT_EQ(r.end, ReductionEnd::kOutOfBudget);
  EXPECT_EQ(question.asked, 2);
}

TEST(Reducer, KeepsTheBestWhenTheWorkerBreaks) {
  FakeQuestion question([](const Program& p) { return p.calls.size() >= 2; });
  question.broken_after = 2;
  const Reduction r = reduced(chain(64), metas_of_chain(64), question);
  EXPECT_EQ(r.end, ReductionEnd::kBroken);
  EXPECT_EQ(r.error, "the worker is gone");
  EXPECT_LT(r.program.calls.size(), 64u);
}

// A pass that offers what no pass may: invalid programs, programs that are not simpler, nothing at all.
std::vector<Edit> bad_pass(const Program&, const PassContext&) {
  return {{"invalid", 9, [](const Program& p) -> std::optional<Program> {
             Program q = p;
             q.leaves.clear();
             return q;
           }},
          {"larger", 8, [](const Program& p) -> std::optional<Program> {
             Program q = p;
             q.calls.push_back({"aten::neg", {{"self", TensorRef{0}}}, {999}, {}, {}});
             return q;
           }},
          {"the same", 7, [](const Program& p) -> std::optional<Program> { return p; }},
          {"nothing", 6, [](const Program&) -> std::optional<Program> { return std::nullopt; }}};
}

TEST(Reducer, ABadPassDoesNoHarm) {
  static constexpr PassRow kBad[] = {{"bad", 1, bad_pass, "offers nonsense"}};
  FakeQuestion question([](const Program&) { return true; });
  ReduceOptions options;
  options.passes = kBad;
  const Program p = chain(3);
  const Reduction r = reduced(p, {}, question, options);
  EXPECT_EQ(r.program, p);
  EXPECT_EQ(question.asked, 0);
  EXPECT_EQ(r.rejected_unasked, 3);
}

TEST(Reducer, AGatherWithABadIndexEndsAtTwoElements) {
  const Program p = program_of(
      R"({"id": 0, "dtype": "float16", "shape": [2, 4, 48, 16], "random": 1}, {"id": 1, "dtype": "int64", "shape": [2, 4, 6, 16], "constant": 50})",
      R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 2, "index": {"tensor": 1}}, "results": [2]})");
  // Fails as the kernel does: some index is not below the size of `dim`.
  FakeQuestion question([](const Program& q) {
    const Leaf& self = *q.find_leaf(0);
    const Leaf& index = *q.find_leaf(1);
    const int64_t dim = *q.calls[0].find("dim")->get_if<int64_t>();
    if (self.meta.sizes.size() != index.meta.sizes.size() || dim < 0 || dim >= static_cast<int64_t>(self.meta.sizes.size())) return false;
    if (const auto* constant = std::get_if<ConstantFill>(&index.fill)) return constant->value >= static_cast<double>(self.meta.sizes[static_cast<std::size_t>(dim)]);
    return false;
  });
  const Reduction r = reduced(p, {}, question);
  EXPECT_EQ(count_elements(r.program), 2);
  EXPECT_EQ(r.program.find_leaf(0)->meta.sizes, std::vector<int64_t>{1});
  EXPECT_EQ(r.program.find_leaf(0)->meta.dtype, DType::kFloat32);
  EXPECT_EQ(std::get<ConstantFill>(r.program.find_leaf(1)->fill).value, 1);
  EXPECT_LT(r.questions, 40);
}

}  // namespace
}  // namespace minrepro
