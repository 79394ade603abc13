#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The device-assert model: one table, plain data. It says which arguments of which operators a CUDA kernel checks, against what,
/// and what it prints. The recorder, the simulated device, the reducers, the emitter (and later the fuzzer and `explain`) read it.
/// A new operator is one new row in `rule_table.cpp`.
namespace minrepro {

/// What an element of the checked argument has to be.
enum class Domain {
  kIndex,               ///< integers: lowest <= v < bound, where lowest is 0, or -bound if the kernel wraps negative ones
  kProbability,         ///< reals in [0, 1]; NaN is outside
  kNonNegative,         ///< reals or integers >= 0; NaN is outside
  kWeights,             ///< multinomial weights: finite, >= 0, and each row of the last dimension has a sum > 0
};

/// Where an index's bound comes from.
enum class BoundKind {
  kNone,                ///< the domain needs no bound
  kSizeAt,              ///< size of `bound_argument` at dimension `dim` (or at the integer argument named `dim_argument`); 1 for a scalar tensor
  kNumel,               ///< number of elements of `bound_argument`
  kInteger,             ///< the value of the integer argument `bound_argument`
  kIndexedDimension,    ///< aten::index and index_put: the k-th tensor of the list indexes dimension k of `bound_argument`
};

struct AssertRule {
  std::string_view id;                        ///< unique, stable: "nll_loss.target"
  std::vector<std::string_view> ops;          ///< operators without overload or trailing underscore: "aten::scatter" also covers scatter_, scatter.src, scatter.value_out
  std::string_view argument;                  ///< the checked tensor (or list of tensors), by schema name; alternatives separated by '|'
  Domain domain = Domain::kIndex;
  BoundKind bound = BoundKind::kNone;
  std::string_view bound_argument;            ///< by schema name; alternatives separated by '|'
  int dim = 0;                                ///< for kSizeAt without `dim_argument`; negative counts from the end
  std::string_view dim_argument;              ///< for kSizeAt: the integer argument that names the dimension
  bool wraps_negative = false;
  std::string_view ignored_argument;          ///< integer argument whose value is exempt (ignore_index, padding_idx where the kernel skips it)
  std::string_view required_argument;         ///< if set, the rule holds only if this optional argument is given (a tensor, or an integer list that is not empty)

  // What CUDA prints: FILE:LINE: FUNCTION: block: [..], thread: [..] Assertion `EXPRESSION` failed.
  std::string_view file;                      ///< "ScatterGatherKernel.cu"
  int line = 0;                               ///< of the release that was read; never part of a signature
  std::string_view function;
  std::string_view expression;
  std::string_view read_in;                   ///< the release whose source was read for line and function: "2.6.0"
  std::vector<std::string_view> other_expressions;  ///< texts that mean the same fault: other layouts, older releases

  std::string_view cause;                     ///< the usual cause in the user's code, one sentence
  std::string_view mend;                      ///< one line of code or advice
};

/// Every rule, in the order in which they are tried.
std::span<const AssertRule> rule_table();

/// "aten::scatter_.value_out" → "aten::scatter": no overload, no trailing '_' (a leading one stays), no "_out"/".out".
std::string rule_name_of(std::string_view op);

/// The rules that check calls of `op` (any overload); empty for most operators.
std::vector<const AssertRule*> rules_for(std::string_view op);
const AssertRule* find_rule(std::string_view id);
/// The rule whose kernel prints this; null if none. `file` may hold directories.
const AssertRule* find_rule_by_text(std::string_view file, std::string_view expression);

}  // namespace minrepro
