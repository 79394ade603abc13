#include "harness/torch/check/call_view.h"

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>

namespace minrepro {
namespace {

using ::testing::ElementsAre;

const c10::FunctionSchema& schema_of(const char* name, const char* overload) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).schema();
}

TEST(SchemaCallView, FindsArgumentsByNameWhateverTheirPosition) {
  const std::vector<c10::IValue> arguments = {at::zeros({2, 3}), 1, at::zeros({2, 4}, at::kLong), at::ones({2, 4})};
  const SchemaCallView call(schema_of("aten::scatter", "src"), arguments);
  ASSERT_TRUE(call.tensor("index"));
  EXPECT_THAT(call.tensor("index")->sizes, ElementsAre(2, 4));
  EXPECT_EQ(call.tensor("index")->dtype, DType::kInt64);
  EXPECT_EQ(call.integer("dim"), 1);
  EXPECT_FALSE(call.tensor("dim"));
  EXPECT_FALSE(call.tensor("target"));
  EXPECT_FALSE(call.integer("index"));
}

TEST(SchemaCallView, ViewsHostMemoryWithoutACopy) {
  const at::Tensor base = at::arange(12, at::kLong).view({3, 4});
  const at::Tensor column = base.select(1, 2);
  const std::vector<c10::IValue> arguments = {at::zeros({9}), 0, column};
  const SchemaCallView call(schema_of("aten::index_select", ""), arguments);
  const auto view = call.tensor("index");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->data, column.const_data_ptr());
  EXPECT_THAT(view->strides, ElementsAre(4));
}

TEST(SchemaCallView, ListsKeepTheirNones) {
  c10::List<std::optional<at::Tensor>> indices;
  indices.push_back(std::nullopt);
  indices.push_back(at::tensor({5}, at::kLong));
  const std::vector<c10::IValue> arguments = {at::zeros({2, 3}), indices};
  const SchemaCallView call(schema_of("aten::index", "Tensor"), arguments);
  const auto views = call.tensors("indices");
  ASSERT_EQ(views.size(), 2u);
  EXPECT_FALSE(views[0]);
  ASSERT_TRUE(views[1]);
  EXPECT_EQ(read_integer(views[1]->dtype, views[1]->data), 5);
}

TEST(SchemaCallView, TensorsWithoutHostMemoryHaveSizesAndNoData) {
  const std::vector<c10::IValue> arguments = {at::zeros({4, 2}, at::kMeta), 0, at::zeros({7}, at::TensorOptions(at::kMeta).dtype(at::kLong))};
  const SchemaCallView call(schema_of("aten::index_select", ""), arguments);
  ASSERT_TRUE(call.tensor("index"));
  EXPECT_EQ(call.tensor("index")->data, nullptr);
  EXPECT_THAT(call.tensor("index")->sizes, ElementsAre(7));
  EXPECT_FALSE(check("aten::index_select", call));
}

TEST(SchemaCallView, IntegerListsAndSizesAreFound) {
  const std::vector<c10::IValue> arguments = {at::zeros({1, 4, 2}), at::zeros({1, 4, 2}, at::kLong), std::vector<int64_t>{8, 4}};
  const SchemaCallView call(schema_of("aten::max_unpool2d", ""), arguments);
  EXPECT_THAT(call.integers("output_size"), ElementsAre(8, 4));
  EXPECT_TRUE(call.integers("self").empty());
  EXPECT_THAT(*call.sizes("indices"), ElementsAre(1, 4, 2));
}

TEST(SchemaCallView, UndefinedTensorsAreAbsent) {
  EXPECT_FALSE(host_tensor(at::Tensor()));
  EXPECT_FALSE(is_host_readable(at::Tensor()));
}

TEST(SchemaCallView, LazilyConjugatedMemoryIsNotReadAsItLies) {
  const at::Tensor values = at::ones({2}, at::kComplexFloat);
  EXPECT_TRUE(is_host_readable(values));
  EXPECT_FALSE(is_host_readable(values.conj()));
}

TEST(SchemaCallView, RulesAreCheckedOnRealCalls) {
  const at::Tensor table = at::zeros({10, 2});
  std::vector<c10::IValue> arguments = {table, 0, at::tensor({3, 10, 9}, at::kInt)};
  const auto violation = check("aten::index_select", SchemaCallView(schema_of("aten::index_select", ""), arguments));
  ASSERT_TRUE(violation);
  EXPECT_THAT(violation->index, ElementsAre(1));
  EXPECT_EQ(violation->value, "10");
  arguments[2] = at::tensor({3, 0, 9}, at::kInt);
  EXPECT_FALSE(check("aten::index_select", SchemaCallView(schema_of("aten::index_select", ""), arguments)));
}

TEST(FullName, HoldsTheOverload) {
  EXPECT_EQ(full_name_of(schema_of("aten::index", "Tensor")), "aten::index.Tensor");
  EXPECT_EQ(full_name_of(schema_of("aten::index_select", "")), "aten::index_select");
}

}  // namespace
}  // namespace minrepro
