#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/program/program.h"
#include "harness/program/schema.h"

namespace minrepro {

/// Most bytes that the leaves of one program may take together (16 GiB).
inline constexpr int64_t kMaxLeafBytes = int64_t{16} << 30;

/// Operators that open files by name (aten::from_file creates them too): a program, which may come from anybody, must not call them.
bool opens_files(std::string_view op);

/// Whether a program means something: ids defined once and before use, ops known and none that opens files, arguments of the kinds their schemas ask for,
/// sizes and strides non-negative and of one length, data as long as the shape says, views inside their base, no opaque values, within kMaxLeafBytes.
/// The error names the place and the mend: "calls[2]: aten::gather: argument 'index' is a string, the schema asks for Tensor".
Status validate(const Program& program, const OpCatalog& catalog);

}  // namespace minrepro
