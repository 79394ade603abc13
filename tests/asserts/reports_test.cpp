// What users have reported: the table has to know it.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/asserts/rule.h"

namespace minrepro {
namespace {

/// Public reports of device-side asserts: the operator, and the text as reported, which may be of an older release (empty: none was quoted).
struct Report {
  const char* op;
  const char* text;
};
constexpr Report kReports[] = {
    {"aten::nll_loss_forward", "t >= 0 && t < n_classes"},
    {"aten::nll_loss_forward", "cur_target >= 0 && cur_target < n_classes"},
    {"aten::nll_loss2d_forward", "t >= 0 && t < n_classes"},
    {"aten::index.Tensor", "index >= -sizes[i] && index < sizes[i] && \"index out of bounds\""},
    {"aten::index_put_", "index >= -sizes[i] && index < sizes[i] && \"index out of bounds\""},
    {"aten::scatter_.value", "indexValue >= 0 && indexValue < tensor.sizes[dim]"},
    {"aten::scatter_add_", "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""},
    {"aten::one_hot", "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""},
    {"aten::gather", "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""},
    {"aten::gather", "indexValue >= 0 && indexValue < src.sizes[dim]"},
    {"aten::embedding", "srcIndex < srcSelectDimSize"},
    {"aten::embedding", "ind >=0 && ind < ind_dim_size && \"vectorized gather kernel index out of bounds\""},
    {"aten::index_select", ""},
    {"aten::binary_cross_entropy", "input_val >= zero && input_val <= one"},
    {"aten::binary_cross_entropy", "input >= 0. && input <= 1."},
    {"aten::bernoulli", "0 <= p4 && p4 <= 1"},
    {"aten::multinomial", "THCNumerics<T>::ge(val, zero)"},
    {"aten::multinomial", "val >= zero"},
    {"aten::multinomial", "probability tensor contains either `inf`, `nan` or element < 0"},
    {"aten::multi_margin_loss", "target_k >= 0 && target_k < dim"},
    {"aten::max_unpool2d", "maxind >= 0 && maxind < outputImageSize"},
    {"aten::repeat_interleave.Tensor", "result_size == cumsum_ptr[size - 1]"},
    {"aten::repeat_interleave.Tensor", "repeat >= 0"},
    {"aten::masked_scatter_", "totalElements <= srcSize"},
};

TEST(Reports, EveryOneHasARuleThatKnowsItsText) {
  for (const Report& report : kReports) {
    const auto rules = rules_for(report.op);
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [&](const AssertRule* rule) {
      if (rule->on_cuda != OnCuda::kAsserts) return false;
      if (*report.text == 0 || rule->expression == report.text) return true;
      return std::any_of(rule->also_prints.begin(), rule->also_prints.end(), [&](const Printed& printed) { return printed.expression == report.text; });
    })) << report.op << ": " << report.text;
  }
}

}  // namespace
}  // namespace minrepro
