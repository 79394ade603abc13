#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/emit/names.h"
#include "harness/program/program.h"

namespace minrepro::emit {

/// Who reads the argument.
enum class Target {
  kFunction,         ///< a function of the public API
  kTypedValues,      ///< likewise; lists and absent integers name their type where an overload takes something else in their place
  kStack,            ///< a boxed call's std::vector<c10::IValue>
};

/// A value for an argument of type `type` ("Tensor?", "int[2]"). Errors: the value does not fit, or programs cannot hold it.
Result<std::string> value_cpp(const Value& value, std::string_view type, Target target, const Program& program, const Spellings& spellings);

/// Whether the text of a value does not say what it is for: numbers, bools, None and lists of them.
bool is_bare(const Value& value);

/// A list of `count` of them where `value` is one number for a type such as "int[2]".
Value repeated(const Value& value, std::string_view type);

}  // namespace minrepro::emit
