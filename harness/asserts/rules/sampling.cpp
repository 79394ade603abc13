#include "harness/asserts/rules/rules.h"

namespace minrepro::rules {
namespace {

using Is = Condition::Is;

Printed bernoulli(std::string_view expression) { return {.file = "DistributionTemplates.h", .expression = expression}; }

std::vector<DType> floating_types() { return {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}; }

/// A parameter of a distribution whose kernel looks at nothing.
AssertRule unlooked(std::string_view id, std::string_view op, std::string_view argument, Domain domain, int line, std::string_view function,
                    std::string_view cause, std::string_view mend) {
  return {.id = id, .ops = {op}, .argument = argument, .domain = domain, .file = "Distributions.cu", .line = line, .function = function, .read_in = k2_6,
          .cause = cause, .mend = mend, .on_cuda = OnCuda::kSilent, .same_on_cpu = true, .dtypes = floating_types()};
}

}  // namespace

std::vector<AssertRule> sampling() {
  const std::vector<DType> floats = floating_types();
  const std::vector<Condition> several_again = {{"replacement", Is::kNotEqual, 0}, {"num_samples", Is::kNotEqual, 1}};
  return {
      // With replacement each kernel has its own check: rows are normalised first, which negative numbers stop; what the other faults come to (0, or NaN) is seen
      // when the sums are searched.
      {.id = "multinomial.replacement",
       .ops = {"aten::multinomial"},
       .argument = "self", .domain = Domain::kNonNegativeOrNan,
       .file = "MultinomialKernel.cu", .line = 60, .function = "renormRowsL1", .expression = "!(val < zero)", .read_in = k2_11,
       .also_prints = {{.file = "MultinomialKernel.cu", .expression = "val >= zero"}, {.file = "THCTensorRandom.cuh", .expression = "val >= zero"},
                       {.file = "THCTensorRandom.cuh", .expression = "THCNumerics<T>::ge(val, zero)"}},
       .cause = "A weight is negative: logits were passed, or differences of cumulated probabilities that rounding left below 0.",
       .mend = "torch.multinomial(torch.softmax(logits.float(), -1), n, replacement=True)", .when = several_again},
      {.id = "multinomial.replacement_rows",
       .ops = {"aten::multinomial"},
       .argument = "self", .domain = Domain::kWeights,
       .file = "MultinomialKernel.cu", .line = 112, .function = "binarySearchForMultinomial", .expression = "cumdist[size - 1] > static_cast<scalar_t>(0)",
       .read_in = k2_11,
       .also_prints = {{.file = "MultinomialKernel.cu", .expression = "cumdist[size - 1] > 0"}, {.file = "MultinomialKernel.cu", .expression = "!_isinf(val)"},
                       {.file = "MultinomialKernel.cu", .expression = "!at::_isnan(val)"}, {.file = "MultinomialKernel.cu", .expression = "!_isnan(val)"},
                       {.file = "MultinomialKernel.cu", .expression = "sum > accZero"}, {.file = "THCTensorRandom.cuh", .expression = "cumdist[size - 1] > 0"},
                       {.file = "THCTensorRandom.cuh", .expression = "sum > accZero"}},
       .cause = "The weights hold NaN or infinity, or a row of zeros, or a row whose sum the type cannot hold: the network has diverged, or everything was "
                "masked.",
       .mend = "torch.multinomial(torch.softmax(logits.float(), -1), n, replacement=True)  # and look for where the NaN came from",
       .when = several_again, .sum_fits = true},
      // Without replacement, or one sample: two assertions of ATen's own, in this order.
      {.id = "multinomial.self",
       .ops = {"aten::multinomial"},
       .argument = "self", .domain = Domain::kFiniteNonNegative,
       .file = "TensorCompare.cu", .line = 109, .function = "_assert_async_cuda_kernel",
       .expression = "probability tensor contains either `inf`, `nan` or element < 0", .read_in = k2_11,
       .cause = "The weights hold NaN, infinity or a negative number: logits were passed, or the network has diverged (often in float16).",
       .mend = "torch.multinomial(torch.softmax(logits.float(), -1), n)  # and look for where the NaN came from", .unless = several_again},
      {.id = "multinomial.rows",
       .ops = {"aten::multinomial"},
       .argument = "self", .domain = Domain::kWeights,
       .file = "TensorCompare.cu", .line = 109, .function = "_assert_async_cuda_kernel",
       .expression = "invalid multinomial distribution (sum of probabilities <= 0)", .read_in = k2_11,
       .cause = "A row of weights is all zeros: everything in it was masked.",
       .mend = "weights[weights.sum(-1) == 0] = 1  # or leave those rows out", .unless = several_again},
      {.id = "bernoulli.p",
       .ops = {"aten::bernoulli"},
       .argument = "p|self", .domain = Domain::kProbability,
       .file = "DistributionTemplates.h", .line = 624, .function = "operator()", .expression = "0 <= p4 && p4 <= 1", .read_in = k2_11,
       .also_prints = {bernoulli("0 <= p3 && p3 <= 1"), bernoulli("0 <= p2 && p2 <= 1"), bernoulli("0 <= p1 && p1 <= 1")},
       .cause = "A probability is NaN or, often by rounding only, above 1 or below 0.",
       .mend = "torch.bernoulli(p.clamp(0, 1))  # NaN stays NaN: look for where it came from",
       .when = {{"self", Is::kMoreElements, 0}}, .not_overloads = {"p", "p_out", "float", "float_out"}, .dtypes = floats, .rounds_to_float = true},
      {.id = "poisson.self",
       .ops = {"aten::poisson"},
       .argument = "self", .domain = Domain::kNonNegative,
       .file = "Distributions.cu", .line = 50, .function = "operator()",
       .expression = "lambda >= 0 && \"invalid Poisson rate, expected rate to be non-negative\"", .read_in = k2_11,
       .cause = "A rate is negative or NaN.", .mend = "torch.poisson(rate.clamp(min=0))", .dtypes = floats},

      // Kernels that look at nothing.
      unlooked("binomial.count", "aten::binomial", "count", Domain::kNonNegative, 75, "binomial_cuda_kernel",
               "A count is negative, which gives 0, or NaN, which never ends.", "torch.binomial(count.clamp(min=0), prob)"),
      unlooked("binomial.prob", "aten::binomial", "prob", Domain::kProbability, 75, "binomial_cuda_kernel",
               "A probability is below 0, above 1 or NaN: it counts as 0 or 1, or gives NaN.", "torch.binomial(count, prob.clamp(0, 1))"),
      unlooked("standard_gamma.self", "aten::_standard_gamma", "self", Domain::kNonNegative, 95, "gamma_cuda_kernel",
               "A shape parameter is negative or NaN: the samples mean nothing.", "alpha.clamp(min=1e-6)"),
      unlooked("sample_dirichlet.self", "aten::_sample_dirichlet", "self", Domain::kNonNegative, 95, "gamma_cuda_kernel",
               "A concentration is negative or NaN: the samples mean nothing.", "alpha.clamp(min=1e-6)"),
  };
}

}  // namespace minrepro::rules
