// Every kind of value that a schema can ask for comes back exactly as the script passed it.
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "tests/torch/record/recorded.h"

namespace minrepro {
namespace {

using List = Value::List;
using testing::ElementsAre;

constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr uint64_t kSeed = (uint64_t{1} << 63) + 5;

class RecordedValues : public testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new Recorded({}, {MINREPRO_PYTHON, script("every_kind.py")}); }
  static void TearDownTestSuite() { delete run_; }
  void SetUp() override { ASSERT_EQ(run_->ran().status, 0) << run_->ran().error; }

  const Trace& trace() const { return run_->trace(); }
  Value at(const std::string& mark, std::string_view name) const { return argument(trace(), call_at(trace(), mark), name); }

  static Recorded* run_;
};
Recorded* RecordedValues::run_ = nullptr;

std::vector<std::byte> bytes_of(const std::vector<int64_t>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  return {begin, begin + values.size() * sizeof(int64_t)};
}

TEST_F(RecordedValues, OneCallWithEverything) {
  EXPECT_THAT(ops_at(trace(), "all"), ElementsAre("kinds::all"));
  EXPECT_EQ(at("all", "integer"), Value(kLargest));
  EXPECT_EQ(at("all", "number"), Value(1e-300));
  EXPECT_EQ(at("all", "z"), Value(std::complex<double>(1e-9, -2)));
  EXPECT_EQ(at("all", "flag"), Value(true));
  EXPECT_EQ(at("all", "text"), Value(std::string("naïve \"text\"\n")));
  EXPECT_EQ(at("all", "dtype"), Value(DTypeValue{DType::kFloat16}));
  EXPECT_EQ(at("all", "layout"), Value(LayoutValue{"sparse_csr"}));
  EXPECT_EQ(at("all", "memory_format"), Value(MemoryFormatValue{"channels_last"}));
  EXPECT_EQ(at("all", "device"), Value(DeviceValue{"cuda:3"}));
  EXPECT_EQ(at("all", "generator"), Value(GeneratorValue{kSeed}));
  EXPECT_EQ(at("all", "scalar"), Value(kSmallest));
  EXPECT_EQ(at("all", "integers"), Value(List{kSmallest, int64_t{0}, kLargest}));
  EXPECT_EQ(at("all", "numbers"), Value(List{5e-324, std::numeric_limits<double>::infinity(), -0.0, 1e-7}));
  const Value numbers = at("all", "numbers");
  ASSERT_TRUE(numbers.is<List>());
  EXPECT_TRUE(std::signbit(*numbers.get_if<List>()->at(2).get_if<double>()));
  EXPECT_EQ(at("all", "flags"), Value(List{true, false}));
  EXPECT_EQ(at("all", "texts"), Value(List{std::string(), std::string("µ")}));
  EXPECT_EQ(at("all", "scalars"), Value(List{int64_t{1}, 2.5, true, std::complex<double>(0, 3)}));
  EXPECT_EQ(at("all", "nothing"), Value(None{}));
  EXPECT_EQ(at("all", "length"), Value(int64_t{7}));
  EXPECT_EQ(at("all", "pair"), Value(List{int64_t{4}, int64_t{5}}));
  EXPECT_EQ(at("all", "dtypes"), Value(List{DTypeValue{DType::kBool}, DTypeValue{DType::kComplex64}}));
  EXPECT_EQ(at("all", "devices"), Value(List{DeviceValue{"cpu"}, DeviceValue{"meta"}}));
}

TEST_F(RecordedValues, TensorsInOptionalsAndLists) {
  const TraceTensor& x = tensor_of(trace(), at("all", "tensor"));
  EXPECT_THAT(x.meta.sizes, ElementsAre(2));
  const Value both = at("all", "tensors");
  ASSERT_TRUE(both.is<List>());
  ASSERT_EQ(both.get_if<List>()->size(), 2u);
  EXPECT_EQ(tensor_of(trace(), both.get_if<List>()->at(0)).tensor, x.tensor);
  const TraceTensor& y = tensor_of(trace(), both.get_if<List>()->at(1));
  EXPECT_THAT(y.meta.sizes, ElementsAre(3));
  const Value optional = at("all", "optional_tensors");
  ASSERT_TRUE(optional.is<List>());
  ASSERT_EQ(optional.get_if<List>()->size(), 3u);
  EXPECT_EQ(tensor_of(trace(), optional.get_if<List>()->at(0)).tensor, x.tensor);
  EXPECT_EQ(optional.get_if<List>()->at(1), Value(None{}));
  EXPECT_EQ(tensor_of(trace(), optional.get_if<List>()->at(2)).tensor, y.tensor);
}

TEST_F(RecordedValues, NothingAtAll) {
  for (const char* name : {"tensor", "dtype", "layout", "memory_format", "device", "generator"}) EXPECT_EQ(at("none", name), Value(None{})) << name;
  for (const char* name : {"tensors", "optional_tensors", "integers", "numbers", "flags", "texts", "scalars", "nothing", "dtypes", "devices"})
    EXPECT_EQ(at("none", name), Value(List{})) << name;
  const Value number = at("none", "number");
  ASSERT_TRUE(number.is<double>());
  EXPECT_TRUE(std::isnan(*number.get_if<double>()));
  EXPECT_EQ(at("none", "scalar"), Value(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(at("none", "text"), Value(std::string()));
  EXPECT_EQ(at("none", "flag"), Value(false));
}

TEST_F(RecordedValues, ScalarsOfPyTorchsOwnOperators) {
  EXPECT_EQ(at("full largest", "fill_value"), Value(kLargest));
  EXPECT_EQ(at("full smallest", "fill_value"), Value(kSmallest));
  EXPECT_EQ(at("full small", "fill_value"), Value(1.2345678901234567e-8));
  EXPECT_EQ(at("full complex", "fill_value"), Value(std::complex<double>(-1e-9, 2e300)));
  EXPECT_EQ(at("full bool", "fill_value"), Value(true));
  EXPECT_EQ(at("full small", "dtype"), Value(DTypeValue{DType::kFloat64}));
  EXPECT_EQ(at("str", "rounding_mode"), Value(std::string("trunc")));
  EXPECT_EQ(at("sum", "keepdim"), Value(true));
  EXPECT_EQ(at("empty", "memory_format"), Value(MemoryFormatValue{"channels_last"}));
  EXPECT_EQ(at("empty", "device"), Value(DeviceValue{"cpu"}));
  EXPECT_EQ(at("to", "device"), Value(DeviceValue{"meta"}));
  const Value tensors = at("cat", "tensors");
  ASSERT_TRUE(tensors.is<List>());
  EXPECT_EQ(tensors.get_if<List>()->size(), 2u);
}

TEST_F(RecordedValues, AListOfOptionalIndices) {
  const TraceCall* index = nullptr;
  for (const TraceCall* call : calls_at(trace(), "index"))
    if (op_of(trace(), *call) == "aten::index.Tensor") index = call;
  ASSERT_NE(index, nullptr);
  const Value indices = argument(trace(), *index, "indices");
  ASSERT_TRUE(indices.is<List>());
  ASSERT_EQ(indices.get_if<List>()->size(), 2u);
  EXPECT_EQ(indices.get_if<List>()->at(0), Value(None{}));
  const TraceTensor& second = tensor_of(trace(), indices.get_if<List>()->at(1));
  EXPECT_EQ(second.meta.dtype, DType::kInt64);
  ASSERT_TRUE(second.data.has_value());
  EXPECT_EQ(*second.data, bytes_of({1, 2}));
}

TEST_F(RecordedValues, APythonNumberAmongTensorsKeepsItsValue) {
  const TraceTensor& number = tensor_of(trace(), at("wrapped number", "other"));
  EXPECT_TRUE(number.is_wrapped_number);
  EXPECT_THAT(number.meta.sizes, ElementsAre());
  EXPECT_EQ(number.meta.dtype, DType::kFloat64);
  ASSERT_TRUE(number.data.has_value());
  EXPECT_EQ(*number.data, bytes_of({std::bit_cast<int64_t>(2.5)}));
}

TEST_F(RecordedValues, GeneratorsWithTheirStateBeforeEachCall) {
  const TraceCall& by_default = call_at(trace(), "default generator");
  EXPECT_EQ(by_default.seed_hint, std::optional<uint64_t>(1234));
  EXPECT_FALSE(by_default.generator_state.has_value());
  const TraceCall& first = call_at(trace(), "own generator");
  const TraceCall& second = call_at(trace(), "own generator again");
  EXPECT_EQ(argument(trace(), first, "generator"), Value(GeneratorValue{kSeed}));
  EXPECT_EQ(first.seed_hint, std::optional<uint64_t>(kSeed));
  ASSERT_TRUE(first.generator_state.has_value());
  ASSERT_TRUE(second.generator_state.has_value());
  EXPECT_EQ(first.generator_state->size(), 5056u);       // what CPUGeneratorImpl's get_state() holds
  EXPECT_NE(*first.generator_state, *second.generator_state);
}

}  // namespace
}  // namespace minrepro
