#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/program/program.h"

namespace minrepro {

struct SchemaArgument {
  std::string name;
  std::string type;                       ///< as written, without alias annotation: "Tensor", "Tensor?", "int[2]", "SymInt[]", "ScalarType?", "Tensor?[]"
  bool mutated = false;                   ///< "Tensor(a!)": the call writes to it
  std::string alias;                      ///< "a" of "Tensor(a)" and "Tensor(a!)", else empty
  std::optional<Value> default_value;
  bool keyword_only = false;
};

/// One operator overload, read from the text form of its `c10::FunctionSchema`.
struct Schema {
  std::string name;                       ///< "aten::gather.out": with the overload
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaArgument> returns;
  bool has_function = false;              ///< callable as torch::NAME(…) in C++
  bool has_method = false;                ///< callable as self.NAME(…) in C++

  const SchemaArgument* find(std::string_view argument) const;
};

/// "aten::scatter_.value" → "aten::scatter_".
std::string_view without_overload(std::string_view op);

/// Parses "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor".
Result<Schema> parse_schema(std::string_view text);

/// Every operator that a program may name.
class OpCatalog {
 public:
  /// Reads the JSON that `minrepro-worker --describe` writes: {"torch": "2.11.0", "ops": [{"schema": "…", "function": true, "method": false}, …]}.
  static Result<OpCatalog> parse(std::string_view json);

  const Schema* find(std::string_view op) const;
  void add(Schema schema);
  const std::string& torch_version() const { return torch_version_; }
  std::size_t size() const { return ops_.size(); }

 private:
  std::string torch_version_;
  std::map<std::string, std::shared_ptr<const Schema>, std::less<>> ops_;
};

}  // namespace minrepro
