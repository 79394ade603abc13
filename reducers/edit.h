#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/program/program.h"
#include "harness/program/schema.h"

/// The roles of a reduction: a pass finds edits, the engine (`reducer.h`) searches among them. A pass knows nothing of the question asked.
namespace minrepro {

/// One way to make a program simpler. Refers to tensors by id and to calls by position.
struct Edit {
  std::string text;                                     ///< "dimension 1 of tensors 0, 3: 48 to 1"
  int64_t size = 1;                                     ///< how much it would take away, for the search: large edits are tried first
  std::function<std::optional<Program>(const Program&)> apply;  ///< nullopt: its precondition no longer holds
};

/// What passes may know besides the program.
struct PassContext {
  const OpCatalog& catalog;
  const std::map<int, TensorMeta>& result_metas;        ///< of call results, where known
};

using FindEdits = std::vector<Edit> (*)(const Program&, const PassContext&);

}  // namespace minrepro
