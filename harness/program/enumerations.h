#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// LibTorch passes layouts and memory formats as small integers in boxed calls; programs name them.
namespace minrepro {

/// The order of `c10::Layout`: "strided", "sparse", "sparse_csr", "mkldnn", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged".
std::optional<std::string_view> layout_name(int64_t number);
std::optional<int64_t> layout_number(std::string_view name);

/// The order of `c10::MemoryFormat`: "contiguous_format", "preserve_format", "channels_last", "channels_last_3d".
std::optional<std::string_view> memory_format_name(int64_t number);
std::optional<int64_t> memory_format_number(std::string_view name);

}  // namespace minrepro
