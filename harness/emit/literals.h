#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/program/dtype.h"

/// Numbers and strings as C++ and Python write them.
namespace minrepro::emit {

/// A double that reads back to itself, with a decimal point or exponent. Non-finite ones are the names `nan`, `inf`, `-inf`, which the program defines.
std::string real_literal(double value);
/// As few digits as give the same element of `dtype` again when a compiler reads them as a double.
std::string real_literal_for(DType dtype, const std::byte* element);

/// INT64_MIN has no literal in C++.
std::string cpp_integer(int64_t value);
/// A seed: with a suffix where C++ would find no type.
std::string cpp_unsigned(uint64_t value);
std::string cpp_complex(std::complex<double> value);
std::string py_complex(std::complex<double> value);
/// Quoted and escaped; the same text is a string in C++ and in Python.
std::string string_literal(std::string_view text);

/// "torch::kLong" for int64.
std::string cpp_dtype(DType dtype);
/// "torch.int64".
std::string py_dtype(DType dtype);
/// "torch::kSparseCsr" for "sparse_csr".
std::string cpp_layout(std::string_view layout);
/// "torch::MemoryFormat::ChannelsLast" for "channels_last".
std::string cpp_memory_format(std::string_view format);

}  // namespace minrepro::emit
