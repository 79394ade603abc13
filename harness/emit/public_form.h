#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/program/program.h"
#include "harness/program/schema.h"

/// How LibTorch's public C++ API offers an operator.
namespace minrepro::emit {

enum class Form {
  kMethod,           ///< self.NAME(…)
  kFunction,         ///< torch::NAME(…); out arguments come first
  kDispatcher,       ///< neither: by its registered name
};

struct PublicForm {
  Form form = Form::kDispatcher;
  std::string name;                           ///< "gather", "torch::add_out"
  std::vector<std::size_t> order;             ///< schema positions as the C++ function takes them, `self` of a method left out
  int options = -1;                           ///< schema position of "dtype" where dtype, layout, device, pin_memory are one TensorOptions; `order` holds only it
};

PublicForm public_form_of(const Schema& schema, const Call& call);

/// Whether C++ would take the call for another overload if this argument were left out.
bool has_to_be_written(const Schema& schema, const std::string& argument);
/// Whether a value might be taken for something else in a call of this operator: `{2}` for an integer, `{a, b}` for scalars, `std::nullopt` for a generator.
bool needs_typed_values(const Schema& schema);
/// Whether the argument is an output ("Tensor(a!) out").
bool is_out(const SchemaArgument& argument);
/// Value given, else the schema's default, else None.
Value value_of(const Call& call, const SchemaArgument& argument);

}  // namespace minrepro::emit
