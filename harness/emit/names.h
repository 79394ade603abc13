#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/program/program.h"
#include "harness/program/schema.h"

/// What the tensors of an emitted program are called.
namespace minrepro::emit {

/// Gives out identifiers, each once, that are free in C++ and in Python.
class Identifiers {
 public:
  std::string unique(std::string_view wanted);

 private:
  std::set<std::string, std::less<>> taken_;
};

/// How the program spells each tensor: "input", "parts[1]".
using Spellings = std::map<int, std::string>;

/// What a person would call `argument` of `op`: "logits" for nll_loss's self, "input" for most others'.
std::string role_of(std::string_view op, const Schema& schema, std::string_view argument);

/// Names every leaf after its role in the call that it goes to; the last call, which is the one that matters, comes first.
Spellings name_leaves(const Program& program, const OpCatalog& catalog, Identifiers& identifiers);

/// What becomes of a call's results.
struct Binding {
  enum class Kind {
    kNothing,            ///< no result needs a name: nobody reads one, or they are tensors that have names already
    kOne,                ///< the call returns one tensor
    kTuple,              ///< it returns several values; each has a name
    kList,               ///< it returns a list
    kFlat,               ///< anything else: all tensors among the results as one list
  };
  Kind kind = Kind::kNothing;
  std::vector<std::string> names;    ///< one, or for kTuple one for each value
};

/// Chooses it, and adds the spelling of each result that later code may use. `used`: the ids that anything reads.
/// `flat`: the call comes back as one list of tensors, whatever the schema says.
Binding bind_results(const Call& call, const Schema& schema, const std::set<int>& used, bool is_last, bool flat, Identifiers& identifiers, Spellings& spellings);

/// Whether results come in a way that only kFlat can tell apart: more than one list, or a list among other values.
bool has_mixed_results(const Schema& schema);

/// The tensor to show at the end, which waits for the device: a result of the last call, else a tensor that it was given. -1 if there is none.
int shown_tensor(const Program& program);
/// Ids that calls read, and the shown one.
std::set<int> used_tensors(const Program& program);
/// The position of a `return` in the flat list of result ids of a call whose schema has no list among several returns; -1: no tensor.
int result_position(const Schema& schema, std::size_t return_index);

}  // namespace minrepro::emit
