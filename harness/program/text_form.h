#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/program/program.h"

/// The text form of a program: JSON that people read, diff and keep in `corpus/`.
///
///     {"minrepro_program": 1, "device": "sim", "torch": "2.11.0",
///      "leaves": [{"id": 0, "dtype": "int64", "shape": [2], "values": [1, 7]},
///                 {"id": 1, "dtype": "float32", "shape": [2, 3], "strides": [1, 2], "constant": 0.5},
///                 {"id": 2, "dtype": "float32", "shape": [3], "random": 42, "device": "cpu"},
///                 {"id": 3, "dtype": "float32", "shape": [2], "strides": [1], "view_of": 1, "offset": 4},
///                 {"id": 4, "dtype": "float32", "shape": [2, 2], "layout": "sparse_csr", "components": [5, 6, 7]}],
///      "calls": [{"op": "aten::gather", "args": {"self": {"tensor": 1}, "dim": 1, "index": {"tensor": 0}}, "results": [8]}]}
///
/// `strides` are left out when contiguous. `values` are numbers in row-major order ("nan", "inf", "-inf" as strings, complex as [re, im]);
/// more than 4,096 of them are written as {"base64": "…"}. Arguments: integers and floats are JSON numbers (a float keeps its decimal point or exponent; non-finite
/// ones are {"float": "nan"}), bools and strings are themselves, None is null, lists are arrays, and the rest is tagged: {"tensor": 1},
/// {"complex": [re, im]}, {"device": "sim"}, {"dtype": "int64"}, {"layout": "strided"}, {"memory_format": "contiguous_format"},
/// {"generator": 42}, {"opaque": "__torch__.torch.classes.…"}.
namespace minrepro {

nlohmann::json to_json(const Program& program);
/// Indented for people: one leaf or call a line.
std::string to_text(const Program& program);

/// Reads either. The error names the place ("calls[2].args.index: …"). Checks the form only; `validate` checks the meaning.
/// No input can make it crash or take more than a small multiple of the input's own size.
Result<Program> program_from_json(const nlohmann::json& json);
Result<Program> program_from_text(std::string_view text);

}  // namespace minrepro
