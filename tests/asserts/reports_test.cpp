// What users have reported, and what the wheels print: the table has to know it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/asserts/rule.h"

namespace minrepro {
namespace {

/// Assertion texts of the CUDA kernels in the 2.11.0 wheel that a user's data can reach, without those of kernels that are out of the table's scope.
constexpr std::pair<const char*, const char*> kTextsOf211[] = {
    {"DistributionTemplates.h", "0 <= p1 && p1 <= 1"},
    {"DistributionTemplates.h", "0 <= p2 && p2 <= 1"},
    {"DistributionTemplates.h", "0 <= p3 && p3 <= 1"},
    {"DistributionTemplates.h", "0 <= p4 && p4 <= 1"},
    {"Distributions.cu", "lambda >= 0 && \"invalid Poisson rate, expected rate to be non-negative\""},
    {"EmbeddingBag.cu", "!has_invalid_index && \"Invalid input index in EmbeddingBag: index out of range [0, numRows)\""},
    {"IndexKernel.cu", "-sizes[i] <= index && index < sizes[i] && \"index out of bounds\""},
    {"IndexKernel.cu", "idx < numel && idx >= -numel && \"cuda_take_put_kernel() index out of bounds\""},
    {"IndexKernel.cu", "idx >= -self_dim_size && idx < self_dim_size && \"index out of bounds\""},
    {"IndexKernel.cu", "idx >= 0 && idx < self_dim_size && \"index_copy_(): index out of bounds\""},
    {"IndexKernel.cu", "totalElements <= srcSize"},
    {"IndexKernelUtils.cu", "ind >=0 && ind < ind_dim_size && \"vectorized gather kernel index out of bounds\""},
    {"Indexing.cu", "dstIndex < dstAddDimSize"},
    {"Indexing.cu", "idx >= -size && idx < size && \"index_select(): index out of bounds\""},
    {"Indexing.cu", "srcIndex < srcSelectDimSize"},
    {"Loss.cu", "cur_target < n_classes"},
    {"Loss.cu", "cur_target >= 0 && cur_target < n_classes"},
    {"Loss.cu", "index >= 0"},
    {"Loss.cu", "input_val >= zero && input_val <= one"},
    {"Loss.cu", "t < n_classes"},
    {"Loss.cu", "t >= 0 && t < n_classes"},
    {"Loss.cu", "target_val >= zero && target_val <= one"},
    {"MaxUnpooling.cu", "index >= 0 && index < outputImageSize"},
    {"MaxUnpooling.cu", "maxind >= 0 && maxind < outputImageSize"},
    {"MultiMarginLoss.cu", "target_k >= 0 && target_k < dim && \"target index is out of bounds\""},
    {"MultinomialKernel.cu", "!(val < zero)"},
    {"MultinomialKernel.cu", "!_isinf(val)"},
    {"MultinomialKernel.cu", "!at::_isnan(val)"},
    {"MultinomialKernel.cu", "cumdist[size - 1] > static_cast<scalar_t>(0)"},
    {"MultinomialKernel.cu", "sum > accZero"},
    {"NLLLoss2d.cu", "cur_target >= 0 && cur_target < n_classes"},
    {"NLLLoss2d.cu", "grad_input_index >= 0"},
    {"NLLLoss2d.cu", "input_index >= 0"},
    {"NLLLoss2d.cu", "t >= 0 && t < n_classes"},
    {"Repeat.cu", "repeat >= 0"},
    {"Repeat.cu", "result_size == cumsum_ptr[size - 1]"},
    {"ScatterGatherKernel.cu", "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""},
    {"ScatterGatherKernel.cu", "idx_dim >= 0 && idx_dim < index_size && \"scatter gather kernel index out of bounds\""},
    {"SegmentReduce.cu", "lengths_data[index] >= 0"},
    {"SegmentReduce.cu", "lengths_data[lengths_idx] >= 0"},
};

TEST(Release211, EveryTextBelongsToARule) {
  for (const auto& [file, text] : kTextsOf211) EXPECT_NE(find_rule_by_text(file, text), nullptr) << file << ": " << text;
}

TEST(Release211, EveryRulePrintsATextOfTheRelease) {
  for (const AssertRule& rule : rule_table()) {
    if (rule.on_cuda != OnCuda::kAsserts || rule.file == "TensorCompare.cu") continue;   // that kernel prints the message that it is given
    EXPECT_TRUE(std::any_of(std::begin(kTextsOf211), std::end(kTextsOf211),
                            [&](const auto& known) { return rule.file == known.first && rule.expression == known.second; }))
        << rule.id << ": " << rule.expression;
  }
}

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
      const auto& others = rule->other_expressions;
      return rule->on_cuda == OnCuda::kAsserts && (*report.text == 0 || rule->expression == report.text || std::count(others.begin(), others.end(), report.text) > 0);
    })) << report.op << ": " << report.text;
  }
}

}  // namespace
}  // namespace minrepro
