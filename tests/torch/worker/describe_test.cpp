#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/program/schema.h"

namespace minrepro {
namespace {

class Description : public testing::Test {
 protected:
  void SetUp() override {
    auto text = read_file(MINREPRO_BUILD_DIR "/ops.json");
    ASSERT_TRUE(text) << text.error().message;
    auto parsed = OpCatalog::parse(*text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    catalog_ = *parsed;
  }
  OpCatalog catalog_;
};

TEST_F(Description, HoldsEveryOperatorThatTheCoreCanRead) { EXPECT_GT(catalog_.size(), 3000u); }

TEST_F(Description, TellsFunctionsFromMethods) {
  const Schema* gather = catalog_.find("aten::gather");
  ASSERT_NE(gather, nullptr);
  EXPECT_TRUE(gather->has_function);
  EXPECT_TRUE(gather->has_method);
  const Schema* fill = catalog_.find("aten::masked_fill_.Scalar");
  ASSERT_NE(fill, nullptr);
  EXPECT_FALSE(fill->has_function);
  EXPECT_TRUE(fill->has_method);
  const Schema* loss = catalog_.find("aten::nll_loss_forward");
  ASSERT_NE(loss, nullptr);
  EXPECT_TRUE(loss->has_function);
  EXPECT_FALSE(loss->has_method);
  const Schema* generated = catalog_.find("aten::bernoulli.Tensor_out");  // made by torchgen from "autogen:"
  ASSERT_NE(generated, nullptr);
  EXPECT_TRUE(generated->has_function);
  const Schema* foreign = catalog_.find("quantized::add");
  ASSERT_NE(foreign, nullptr);
  EXPECT_FALSE(foreign->has_function);
}

}  // namespace
}  // namespace minrepro
