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
  kNonNegativeOrNan,    ///< reals that are not < 0; NaN passes
  kFiniteNonNegative,   ///< reals >= 0, neither infinity nor NaN
  kWeights,             ///< multinomial weights: finite, >= 0, and each row of the last dimension has a sum > 0
  kCount,               ///< a mask: as many elements are set (after it is expanded to `expands_to`) as `bound_argument` has, or fewer
  kSum,                 ///< integers whose sum is the integer argument `bound_argument`
};

/// Where an index's bound comes from.
enum class BoundKind {
  kNone,                ///< the domain needs no bound
  kSizeAt,              ///< size of `bound_argument` at dimension `dim` (or at the integer argument named `dim_argument`); 1 for a scalar tensor
  kNumel,               ///< number of elements of `bound_argument`
  kInteger,             ///< the value of the integer argument `bound_argument`
  kIndexedDimension,    ///< aten::index and index_put: the k-th tensor of the list indexes dimension k of `bound_argument`
  kProduct,             ///< the product of the integer list `bound_argument` (of its last `dim` entries)
};

/// What comes of a violation on CUDA.
enum class OnCuda {
  kAsserts,             ///< the kernel prints its assertion, and the device's context is lost
  kIllegalAccess,       ///< it has none: it reads or writes outside of its memory, which the hardware notices if that lies outside of every allocation
  kSilent,              ///< it has none and stays inside of its memory: the result is wrong, and nothing says so
};

/// Something that has to hold of another argument of the call. An integer argument that is not given counts as 0.
struct Condition {
  enum class Is { kGiven, kEqual, kNotEqual };
  std::string_view argument;
  Is is = Is::kGiven;
  int64_t value = 0;
};

/// More dimensions than any tensor has.
inline constexpr int kAnyRank = 64;

struct AssertRule {
  std::string_view id;                        ///< unique, stable: "nll_loss.target"
  std::vector<std::string_view> ops;          ///< operators without overload or trailing underscore: "aten::scatter" also covers scatter_, scatter.src, scatter.value_out
  std::string_view argument;                  ///< the checked tensor (or list of tensors), by schema name; alternatives separated by '|', the first that is given counts
  Domain domain = Domain::kIndex;
  BoundKind bound = BoundKind::kNone;
  std::string_view bound_argument{};            ///< by schema name; alternatives separated by '|'
  int dim = 0;                                ///< for kSizeAt without `dim_argument`; negative counts from the end
  std::string_view dim_argument{};              ///< for kSizeAt: the integer argument that names the dimension; `dim` where there is none
  bool wraps_negative = false;
  std::string_view ignored_argument{};          ///< integer argument whose value is exempt (ignore_index, padding_idx where the kernel skips it)
  std::string_view required_argument{};         ///< if set, the rule holds only if this optional argument is given (a tensor, an integer, or a list that is not empty)

  // What CUDA prints: FILE:LINE: FUNCTION: block: [..], thread: [..] Assertion `EXPRESSION` failed.
  std::string_view file{};                      ///< "ScatterGatherKernel.cu"
  int line = 0;                               ///< of the release that was read; never part of a signature
  std::string_view function{};
  std::string_view expression{};
  std::string_view read_in{};                   ///< the release whose source was read for line and function: "2.6.0"
  std::vector<std::string_view> other_expressions{};  ///< texts that mean the same fault: other layouts, older releases

  std::string_view cause{};                     ///< the usual cause in the user's code, one sentence
  std::string_view mend{};                      ///< one line of code or advice

  std::vector<std::string_view> other_files{};  ///< where `other_expressions` are printed, if not in `file`
  std::vector<Condition> when{};                ///< the rule holds only if all of these do
  std::vector<Condition> unless{};              ///< if set, the rule does not hold if all of these do
  int min_rank = 0;                           ///< the rule holds only if `bound_argument` has a number of dimensions in [min_rank, max_rank]
  int max_rank = kAnyRank;
  std::vector<std::string_view> not_overloads{};  ///< overloads of `ops` with the same argument names that check nothing
  std::string_view expands_to{};                ///< for kCount
  OnCuda on_cuda = OnCuda::kAsserts;          ///< `expression` is empty for the others
  bool no_stand_in = false;                   ///< elements have to fit together: no single value can take the place of an offending one
};

/// Every rule, in the order in which they are tried.
std::span<const AssertRule> rule_table();

/// "aten::scatter_.value_out" → "aten::scatter": no overload, no trailing '_' (a leading one stays), no "_out"/".out".
/// "aten::__iand__" stays: its underscores mark no in-place variant.
std::string rule_name_of(std::string_view op);

/// The rules that check calls of `op` (with its overload, if known); empty for most operators and for overloads that take dimension names,
/// whose bounds cannot be told (they call the overload with a number).
std::vector<const AssertRule*> rules_for(std::string_view op);
const AssertRule* find_rule(std::string_view id);
/// The rule whose kernel prints this; null if none. `file` may hold directories. Where kernels of several rules print one text, the first rule.
const AssertRule* find_rule_by_text(std::string_view file, std::string_view expression);

}  // namespace minrepro
