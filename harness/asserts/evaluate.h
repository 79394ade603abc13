#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/asserts/rule.h"
#include "harness/program/dtype.h"

/// Evaluates assert rules on host memory. No LibTorch here: the torch side and the core both give it their tensors through `CallView`.
namespace minrepro {

/// A strided tensor in host memory. `data` points at its first element (offset applied); null when the data is not at hand.
struct TensorView {
  DType dtype = DType::kFloat32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  const void* data = nullptr;
};

/// The arguments of one call, by schema name.
class CallView {
 public:
  virtual ~CallView() = default;
  /// nullopt when there is no such argument, it is None, or it is not a tensor.
  virtual std::optional<TensorView> tensor(std::string_view argument) const = 0;
  /// The sizes of a tensor argument. For views that have to copy data: most rules need no more than the size of the tensor that gives the bound.
  virtual std::optional<std::vector<int64_t>> sizes(std::string_view argument) const {
    auto view = tensor(argument);
    return view ? std::optional(std::move(view->sizes)) : std::nullopt;
  }
  /// The tensors of a list argument (None entries as nullopt).
  virtual std::vector<std::optional<TensorView>> tensors(std::string_view argument) const = 0;
  /// An integer argument (bools count); nullopt when there is none.
  virtual std::optional<int64_t> integer(std::string_view argument) const = 0;
  /// The numbers of an integer list; empty when there is none. Rules with BoundKind::kProduct do not apply to views without it.
  virtual std::vector<int64_t> integers(std::string_view argument) const { return {}; }
  /// A string argument; nullopt when there is none.
  virtual std::optional<std::string> text(std::string_view argument) const { return std::nullopt; }
};

/// The allowed values of one checked tensor of one call: [lowest, bound) for kIndex, whether or not the rule's bound is inclusive.
struct Bounds {
  int64_t lowest = 0;
  int64_t bound = 0;
  std::optional<int64_t> ignored;
  std::optional<int64_t> excluded{};
  Cut cut = Cut::kNone;                       ///< values are cut to so many bits before they are compared
};

struct Violation {
  const AssertRule* rule = nullptr;
  int list_position = -1;                     ///< which tensor of a list argument; -1 for a plain tensor
  std::vector<int64_t> index;                 ///< the first offending element, in row-major order
  std::string value;                          ///< its value as text: "10", "nan", "1.5"
  int64_t offending = 0;                      ///< how many elements are outside; where numbers are judged together, how many rows, columns or elements are too many
  int64_t total = 0;                          ///< elements of the checked tensor
  std::string lowest_offending;               ///< smallest and largest offending value as text; NaN only if there is nothing else
  std::string highest_offending;
  std::optional<Bounds> bounds;               ///< for kIndex

  /// What the kernel prints: the one of the rule's texts that this call gets. Line 0 if the kernel has no assertion.
  Printed printed;

  /// "index holds 2 … 13 (98,312 of 131,072 elements); dimension 1 of self has size 2, so 0 … 1 are allowed"
  std::string text;
};

/// The bounds that `rule` sets for the tensor at `list_position` (-1: the plain argument) of this call; nullopt if it does not apply or the domain has none.
std::optional<Bounds> bounds_of(const AssertRule& rule, const CallView& call, int list_position = -1);

/// Whether the call violates the rule. Tensors without data are not checked.
/// Source of the semantics: the kernels in `AssertRule::file`; empty tensors violate nothing, and neither does a call that CUDA's host code
/// refuses before the launch (an index into a dimension that does not exist).
std::optional<Violation> check(const AssertRule& rule, const CallView& call);
/// The first rule of `op` that the call violates and that makes it fail on CUDA (any but `OnCuda::kSilent`).
std::optional<Violation> check(std::string_view op, const CallView& call);

/// What the kernel prints as its expression: `Violation::printed`'s, or the caller's own message where the rule has a `message_argument`.
std::string printed_expression(const Violation& violation, const CallView& call);

/// Whether elements that are valid one by one can violate the rule together. Then `check` has to be asked about the tensor as a whole.
bool judges_as_a_whole(const AssertRule& rule);

/// One valid value for `rule` as the sanitizer of a poisoned device needs it: 0 for an index with bound > 0 (else nullopt), 0.5 for a
/// probability, 1 for weights and non-negative ones, 0 for masks; nullopt for rules with `no_stand_in`.
std::optional<double> valid_value(const AssertRule& rule, const std::optional<Bounds>& bounds);
/// Whether one element is inside. `value` of an integral tensor is exact in `integer`.
bool is_valid(const AssertRule& rule, const std::optional<Bounds>& bounds, int64_t integer, double real, bool integral);

}  // namespace minrepro
