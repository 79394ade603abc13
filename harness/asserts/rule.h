#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/program/dtype.h"

/// The device-assert model: one table, plain data. It says which arguments of which operators a CUDA kernel checks, against what,
/// and what it prints. The recorder, the simulated device, the reducers, the emitter, `explain` (and later the fuzzer) read it.
/// A new operator is one new row in a file of `rules/`.
namespace minrepro {

class CallView;
struct TensorView;

/// What an element of the checked argument has to be, or all of them together.
enum class Domain {
  kIndex,               ///< integers: lowest <= v < bound (<= bound if `inclusive`), where lowest is -bound if the kernel wraps negative ones
  kProbability,         ///< reals in [0, 1]; NaN is outside
  kNonNegative,         ///< reals or integers >= 0; NaN is outside
  kNonNegativeOrNan,    ///< reals that are not < 0; NaN passes
  kFiniteNonNegative,   ///< reals >= 0, neither infinity nor NaN
  kWeights,             ///< multinomial weights: finite, >= 0, and each row of the last dimension has a sum > 0
  kCount,               ///< a mask: as many elements are set (after it is expanded to `expands_to`) as `bound_argument` has, or fewer
  kSum,                 ///< integers whose sum is the integer argument `bound_argument`
  kSumAtMost,           ///< integers; no row of the last dimension adds up to more than the bound
  kNonDecreasing,       ///< integers; in no row of the last dimension is one below the one before it (see `after_zero`); with a bound, no last one is above it
  kAligned,             ///< integers; each one's distance from the one before (the first's from 0) is a multiple of `alignment` bytes, but for the last one's
  kCompressed,          ///< compressed sparse indices: each row starts at 0, ends at the integer argument `bound_argument`, and grows by 0 … `dim` of the call
  kIncreasingSlices,    ///< plain sparse indices: they increase inside each of the slices that the call's `compressed_idx` cuts
  kCoordinates,         ///< indices of a COO tensor, [sparse dimensions, elements]: each column's flat position is inside of the tensor `bound_argument`
  kEachCoordinate,      ///< the same, but each row is inside of its own dimension, from -size on if the kernel wraps negative ones
  kNonZero,             ///< a number other than 0; NaN is one
  kDivisor,             ///< integers other than 0
  kElements,            ///< anything: there are at least as many elements as the bound says
};

/// Where an index's bound comes from.
enum class BoundKind {
  kNone,                ///< the domain needs no bound
  kSizeAt,              ///< size of `bound_argument` at dimension `dim` (or at the integer argument named `dim_argument`); 1 for a scalar tensor
  kNumel,               ///< number of elements of `bound_argument`
  kInteger,             ///< the value of the integer argument `bound_argument`
  kIndexedDimension,    ///< aten::index and index_put: the k-th tensor of the list indexes dimension k of `bound_argument`
  kProduct,             ///< the product of the last `dim` entries of `bound_argument`: an integer list, or a tensor's sizes
  kListAt,              ///< the entry of the integer list `bound_argument` at `dim_argument`; 1 for an empty list
};

/// What comes of a violation on CUDA.
enum class OnCuda {
  kAsserts,             ///< the kernel prints its assertion, and the device's context is lost
  kIllegalAccess,       ///< it has none: it reads or writes outside of its memory, which the hardware notices if that lies outside of every allocation
  kSilent,              ///< it has none and stays inside of its memory: the result is wrong, and nothing says so. (The simulated device notes it, unless the
                        ///< operator is made of others on it, which accept what they get.)
};

/// Something that has to hold of another argument of the call. An integer argument that is not given counts as 0.
struct Condition {
  enum class Is {
    kGiven, kNotGiven,
    kEqual, kNotEqual, kAtLeast, kAtMost,   ///< of an integer
    kMoreElements, kNotMoreElements,        ///< of a tensor, than `value`
    kRank, kNotRank,                        ///< of a tensor; without the tensor neither holds
    kSameRank,                              ///< of a tensor: as many dimensions as the tensor `text` has
    kLastDimension,                         ///< of a tensor: the integer argument `text` is its last dimension
    kRowMajor, kNotRowMajor,                ///< of a tensor: neighbours in its last dimension lie side by side; without the tensor neither holds
    kRepeatsRows,                           ///< of a tensor: each row holds one element over and over (it is expanded); one dimension is no row
    kDType,                                 ///< of a tensor: one of the types in `text`, by name, separated by '|'
    kIntegral,                              ///< of a tensor or a number: it is of integers (or Booleans)
    kWideRows,                              ///< of a tensor: what it holds for one index into its first dimension is a whole number of `value` bytes, not 0
    kListLength,                            ///< of a tensor list
    kText,                                  ///< of a string: it is `text`
  };
  std::string_view argument;                ///< alternatives separated by '|', the first that is given counts
  Is is = Is::kGiven;
  int64_t value = 0;
  std::string_view text{};
};

/// Another text for the same fault: FILE:LINE: FUNCTION: … Assertion `EXPRESSION` failed.
struct Printed {
  std::string_view file;
  std::string_view expression;
  int line = 0;                               ///< 0: the simulated device never prints it (a text of other releases, or of layouts that a call does not tell)
  std::string_view function{};
  std::vector<Condition> when{};              ///< the kernel that prints it runs if all of these hold
  bool of_negative = false;                   ///< printed for values below 0 only
  bool seldom = false;                        ///< a text without a call is another rule's
};

/// Kernels that keep an index in fewer bits check what is left of it.
enum class Cut { kNone, kInt32, kUint32 };

/// A part of a tensor, and where it starts in it.
struct Part {
  std::vector<int64_t> origin;
  std::vector<int64_t> sizes;                 ///< as many as the tensor has dimensions
};

/// "Any negative number" as the lowest value of an index.
inline constexpr int64_t kAnyNegative = INT64_MIN;

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
  std::string_view expression{};                ///< empty if the kernel has no assertion, or `_assert_async` was handed no message
  std::string_view read_in{};                   ///< the release that line and function are of: "2.11.0" (off the wheel), "2.6.0" (sources)
  std::vector<Printed> also_prints{};           ///< the first whose conditions hold is printed instead

  std::string_view cause{};                     ///< the usual cause in the user's code, one sentence
  std::string_view mend{};                      ///< one line of code or advice

  std::vector<Condition> when{};                ///< the rule holds only if all of these do
  std::vector<Condition> unless{};              ///< if set, the rule does not hold if all of these do
  int min_rank = 0;                           ///< the rule holds only if `bound_argument` has a number of dimensions in [min_rank, max_rank]
  int max_rank = kAnyRank;
  std::vector<std::string_view> not_overloads{};  ///< overloads of `ops` with the same argument names that check nothing
  std::string_view expands_to{};                ///< for kCount: the mask; for kSum: a single number counts for each row of this tensor (at `dim_argument`)
  OnCuda on_cuda = OnCuda::kAsserts;
  bool no_stand_in = false;                   ///< elements have to fit together: no single value can take the place of an offending one
  bool same_on_cpu = false;                   ///< for kSilent: the CPU's kernel does the same, so that the simulated device runs it unchanged

  std::vector<DType> dtypes{};                  ///< of the checked tensor; host code refuses others. Empty: all that the domain allows
  int64_t lowest = 0;                         ///< for kIndex without `wraps_negative`
  bool inclusive = false;                     ///< for kIndex: the bound itself is allowed
  bool excludes_zero = false;                 ///< for kIndex
  Cut cut = Cut::kNone;                       ///< for kIndex, if all of `cut_when` hold
  std::vector<Condition> cut_when{};
  bool refuses_empty = false;                 ///< host code throws where the bound is 0
  bool may_count = false;                     ///< for BoundKind::kInteger: -1 stands for one more than the largest number
  bool checks_first = false;                  ///< the check does not wait for work: it is made even if there is no element to read or write
  bool after_zero = false;                    ///< for kNonDecreasing: the first number is compared with 0
  bool of_sparse = false;                     ///< of calls with a sparse tensor only: others do not pay for it
  int alignment = 0;                          ///< for kAligned, in bytes
  std::string_view alignment_of{};              ///< for kAligned: the tensor whose elements are aligned; elements of two bytes if there is none
  bool sum_fits = false;                      ///< for kWeights: a row whose sum is too large for the type is wrong
  bool rounds_to_float = false;               ///< for kProbability: float64 is rounded to float32 before the check, unless `self` is float64
  std::string_view message_argument{};          ///< the string argument that is printed as the expression
  /// The parts of the checked tensor that the kernel reads; null: all of it. No parts: the kernel is not launched, or host code refuses the call.
  std::vector<Part> (*parts)(const TensorView& checked, const CallView& call) = nullptr;
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
/// Whether a kernel of this rule prints this. `file` may hold directories.
bool prints(const AssertRule& rule, std::string_view file, std::string_view expression);
/// The rule whose kernel prints this; null if none. Where kernels of several rules print one text, the first one that does not print it seldom; any message of `_assert_async`
/// that no other rule knows is the caller's own.
const AssertRule* find_rule_by_text(std::string_view file, std::string_view expression);

}  // namespace minrepro
