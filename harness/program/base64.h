#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minrepro {

/// RFC 4648, with padding.
std::string encode_base64(std::span<const std::byte> bytes);
/// nullopt for anything that `encode_base64` would not write.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace minrepro
