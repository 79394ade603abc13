// What the trace says of tensors, and of calls that nest, throw and come from several threads.
#include <map>
#include <set>

#include "tests/torch/record/recorded.h"

namespace minrepro {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RecordedScript : public testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new Recorded({}, {MINREPRO_PYTHON, script("tensors_and_calls.py")}); }
  static void TearDownTestSuite() { delete run_; }
  void SetUp() override { ASSERT_EQ(run_->ran().status, 0) << run_->ran().error; }

  const Trace& trace() const { return run_->trace(); }
  /// The argument of the torch.neg on the marked line.
  const TraceTensor& negated(const std::string& mark) const {
    for (const TraceCall* call : calls_at(trace(), mark))
      if (op_of(trace(), *call) == "aten::neg") return tensor_of(trace(), argument(trace(), *call, "self"));
    ADD_FAILURE() << "no aten::neg at " << mark;
    static const TraceTensor none;
    return none;
  }

  static Recorded* run_;
};
Recorded* RecordedScript::run_ = nullptr;

TEST_F(RecordedScript, AViewHasItsStridesItsOffsetAndItsBasesStorage) {
  const TraceTensor& view = negated("strided view");
  EXPECT_THAT(view.meta.sizes, ElementsAre(4, 3));
  EXPECT_THAT(view.meta.strides, ElementsAre(1, 4));
  EXPECT_EQ(view.storage_offset, 12);
  EXPECT_TRUE(view.is_view);
  const TraceTensor& base = negated("its base");
  EXPECT_EQ(view.storage, base.storage);
  EXPECT_NE(view.tensor, base.tensor);
  EXPECT_EQ(base.storage_offset, 0);
  EXPECT_THAT(base.meta.strides, ElementsAre(12, 4, 1));
}

TEST_F(RecordedScript, ShapesStridesAndDevices) {
  const TraceTensor& leaf = negated("leaf");
  EXPECT_EQ(leaf.meta.dtype, DType::kFloat64);
  EXPECT_TRUE(leaf.requires_grad);
  EXPECT_FALSE(leaf.is_view);
  EXPECT_EQ(leaf.device, "cpu");
  EXPECT_FALSE(negated("its base").requires_grad);
  EXPECT_THAT(negated("empty").meta.sizes, ElementsAre(2, 0, 3));
  EXPECT_EQ(negated("empty").meta.dtype, DType::kComplex64);
  EXPECT_THAT(negated("scalar").meta.sizes, ElementsAre());
  EXPECT_THAT(negated("expanded").meta.strides, ElementsAre(0, 1));
  EXPECT_THAT(negated("channels last").meta.strides, ElementsAre(60, 1, 15, 3));
  EXPECT_EQ(result_of(trace(), "meta").device, "meta");
  EXPECT_THAT(result_of(trace(), "meta").meta.sizes, ElementsAre(5));
}

TEST_F(RecordedScript, EveryElementType) {
  std::vector<DType> types;
  for (const TraceCall* call : calls_at(trace(), "dtype")) types.push_back(tensor_of(trace(), call->results.at(0)).meta.dtype);
  EXPECT_THAT(types, ElementsAre(DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat16, DType::kBFloat16, DType::kFloat32,
                                 DType::kFloat64, DType::kComplex64, DType::kComplex128, DType::kBool, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                                 DType::kFloat8E4M3FN, DType::kFloat8E5M2));
}

TEST_F(RecordedScript, ASparseOneHasItsParts) {
  const TraceCall* call = nullptr;
  for (const TraceCall* c : calls_at(trace(), "sparse"))
    if (op_of(trace(), *c).starts_with("aten::mul")) call = c;
  ASSERT_NE(call, nullptr);
  const TraceTensor& sparse = tensor_of(trace(), argument(trace(), *call, "self"));
  EXPECT_EQ(sparse.meta.layout, "sparse");
  EXPECT_THAT(sparse.meta.sizes, ElementsAre(5));
  EXPECT_THAT(sparse.meta.strides, ElementsAre());
  ASSERT_EQ(sparse.components.size(), 2u);
  EXPECT_THAT(trace().tensors[static_cast<std::size_t>(sparse.components[0])].meta.sizes, ElementsAre(1, 2));
  EXPECT_THAT(trace().tensors[static_cast<std::size_t>(sparse.components[1])].meta.sizes, ElementsAre(2));
}

TEST_F(RecordedScript, MemoryThatIsReusedIsANewStorage) {
  std::set<uint64_t> storages;
  std::set<uint64_t> tensors;
  const auto made = calls_at(trace(), "made");
  for (const TraceCall* call : made) {
    storages.insert(tensor_of(trace(), call->results.at(0)).storage);
    tensors.insert(tensor_of(trace(), call->results.at(0)).tensor);
  }
  EXPECT_EQ(storages.size(), 9000u);
  EXPECT_EQ(tensors.size(), 9000u);
  EXPECT_THAT(storages, Not(Contains(0u)));
  // What lives on is known again, whatever was forgotten in between.
  const auto kept = calls_at(trace(), "kept");
  ASSERT_EQ(kept.size(), 3000u);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const TraceTensor& before = tensor_of(trace(), made.at(3 * i)->results.at(0));
    const TraceTensor& after = tensor_of(trace(), kept[i]->args.at(0));
    ASSERT_EQ(after.storage, before.storage) << i;
    ASSERT_EQ(after.tensor, before.tensor) << i;
  }
}

TEST_F(RecordedScript, TheSameObjectAndTheSameMemoryAreToldApart) {
  const TraceTensor& x = result_of(trace(), "x is made");
  const TraceTensor& written = result_of(trace(), "x is written");
  EXPECT_EQ(written.tensor, x.tensor);
  EXPECT_EQ(written.storage, x.storage);
  const TraceTensor& detached = result_of(trace(), "x is detached");
  EXPECT_NE(detached.tensor, x.tensor);
  EXPECT_EQ(detached.storage, x.storage);
  const TraceTensor& slice = negated("x is sliced");
  EXPECT_EQ(slice.storage, x.storage);
  EXPECT_EQ(slice.storage_offset, 1);
  EXPECT_NE(negated("x has another storage").storage, x.storage);
  const TraceCall* add = calls_at(trace(), "out").back();
  EXPECT_EQ(op_of(trace(), *add), "aten::add.out");
  EXPECT_EQ(tensor_of(trace(), add->results.at(0)).tensor, tensor_of(trace(), argument(trace(), *add, "out")).tensor);
}

TEST_F(RecordedScript, OutermostOnlyAndInOrder) {
  EXPECT_THAT(ops_at(trace(), "linear"), ElementsAre("aten::linear"));
  EXPECT_THAT(ops_at(trace(), "einsum"), ElementsAre("aten::einsum"));
  EXPECT_THAT(ops_at(trace(), "order 1"), ElementsAre("aten::ones"));
  EXPECT_THAT(ops_at(trace(), "order 2"), ElementsAre("aten::mul.Tensor", "aten::sub.Tensor", "aten::sum"));
  EXPECT_THAT(ops_at(trace(), "lstm"), Contains("aten::lstm.input"));
  EXPECT_THAT(ops_at(trace(), "lstm"), Not(Contains(HasSubstr("aten::sigmoid"))));
}

TEST_F(RecordedScript, TheBackwardPassIsThereAtTheLineThatAsksForIt) {
  const auto ops = ops_at(trace(), "backward");
  EXPECT_THAT(ops, Contains("aten::sum"));
  EXPECT_THAT(ops, Contains("aten::bmm"));                 // einsum's
  EXPECT_THAT(ops, Contains("aten::mm"));                  // linear's
  EXPECT_THAT(ops_at(trace(), "forward of a function"), ElementsAre("aten::mul.Tensor"));
  EXPECT_THAT(ops_at(trace(), "backward of a function"), ElementsAre("aten::mul.Tensor"));
}

TEST_F(RecordedScript, EveryCallHasItsPlaceInTheScript) {
  const TraceCall& call = call_at(trace(), "linear");
  const SourceLine& line = trace().sources[static_cast<std::size_t>(call.source)];
  EXPECT_EQ(line.file, script("tensors_and_calls.py"));
  EXPECT_EQ(line.function, "nesting");
  EXPECT_EQ(line.text, "out = torch.nn.functional.linear(data, weight, bias)  # linear");
  EXPECT_GT(line.line, 0);
  for (const TraceCall& c : trace().calls) {
    ASSERT_GE(c.source, 0) << op_of(trace(), c);
    EXPECT_EQ(trace().sources[static_cast<std::size_t>(c.source)].file, script("tensors_and_calls.py")) << op_of(trace(), c);
  }
}

TEST_F(RecordedScript, AThrownCallKeepsItsMessageAndTheRunGoesOn) {
  const TraceCall* thrown = nullptr;
  for (const TraceCall* call : calls_at(trace(), "throws"))
    if (op_of(trace(), *call) == "aten::view") thrown = call;
  ASSERT_NE(thrown, nullptr);
  EXPECT_EQ(thrown->state, CallState::kThrew);
  EXPECT_EQ(thrown->exception_type, "c10::Error");
  EXPECT_EQ(thrown->message, "shape '[3]' is invalid for input of size 2");
  EXPECT_TRUE(thrown->results.empty());
  const TraceCall* inside = calls_at(trace(), "throws inside").back();
  EXPECT_EQ(op_of(trace(), *inside), "aten::matmul");
  EXPECT_EQ(inside->state, CallState::kThrew);
  EXPECT_THAT(inside->message, HasSubstr("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"));
  EXPECT_EQ(call_at(trace(), "goes on").state, CallState::kFinished);
  EXPECT_THAT(run_->said(), ElementsAre(HasSubstr("no failure; recorded ")));
}

TEST_F(RecordedScript, EveryThreadIsRecordedAndKnownByItsNumber) {
  std::map<int, std::vector<int64_t>> by_thread;
  for (const TraceCall* call : calls_at(trace(), "in a thread")) {
    EXPECT_EQ(op_of(trace(), *call), "aten::full");
    by_thread[call->thread].push_back(*argument(trace(), *call, "fill_value").get_if<int64_t>());
    EXPECT_EQ(call->state, CallState::kFinished);
  }
  ASSERT_EQ(by_thread.size(), 4u);
  EXPECT_EQ(by_thread.count(call_at(trace(), "linear").thread), 0u);
  for (const auto& [thread, values] : by_thread) {
    EXPECT_EQ(values.size(), 300u);
    EXPECT_THAT(values, Each(values.front()));
  }
}

}  // namespace
}  // namespace minrepro
