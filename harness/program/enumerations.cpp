#include "harness/program/enumerations.h"

#include <array>
#include <span>

namespace minrepro {
namespace {
constexpr std::array<std::string_view, 8> kLayouts = {"strided",    "sparse",     "sparse_csr", "mkldnn",
                                                      "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
constexpr std::array<std::string_view, 4> kMemoryFormats = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};

std::optional<std::string_view> name_at(std::span<const std::string_view> names, int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(names.size())) return std::nullopt;
  return names[static_cast<std::size_t>(number)];
}

std::optional<int64_t> number_of(std::span<const std::string_view> names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int64_t>(i);
  return std::nullopt;
}
}  // namespace

std::optional<std::string_view> layout_name(int64_t number) { return name_at(kLayouts, number); }
std::optional<int64_t> layout_number(std::string_view name) { return number_of(kLayouts, name); }
std::optional<std::string_view> memory_format_name(int64_t number) { return name_at(kMemoryFormats, number); }
std::optional<int64_t> memory_format_number(std::string_view name) { return number_of(kMemoryFormats, name); }

}  // namespace minrepro
