#pragma once

#include <set>
#include <string>

#include "harness/base/result.h"
#include "harness/emit/emit.h"
#include "harness/emit/names.h"
#include "harness/program/program.h"
#include "harness/program/schema.h"

namespace minrepro::emit {

/// Writes calls one after the other; each adds the spellings of its results.
class CallWriter {
 public:
  CallWriter(const Program& program, const OpCatalog& catalog, EmitStyle style, Identifiers& identifiers, Spellings& spellings)
      : program_(program), catalog_(catalog), style_(style), used_(used_tensors(program)), identifiers_(identifiers), spellings_(spellings) {}

  /// The statements of one call.
  Result<std::string> write(const Call& call);
  /// Whether any call so far went through the dispatcher.
  bool used_dispatcher() const { return used_dispatcher_; }

 private:
  Result<std::string> readable(const Call& call, const Schema& schema) const;
  Result<std::string> boxed(const Call& call, const Schema& schema) const;
  Result<std::string> options(const Call& call, const Schema& schema, std::size_t first) const;
  Result<std::string> argument(const Call& call, const SchemaArgument& argument, bool typed_values, bool last_list) const;
  std::string index_expression(const Call& call) const;

  const Program& program_;
  const OpCatalog& catalog_;
  EmitStyle style_;
  std::set<int> used_;
  Identifiers& identifiers_;
  Spellings& spellings_;
  bool used_dispatcher_ = false;
};

}  // namespace minrepro::emit
