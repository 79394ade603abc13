#include "harness/trace/symbolise.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "harness/base/printable.h"
#include "harness/base/process.h"

namespace minrepro {
namespace {

constexpr off_t kLargestModule = off_t{16} << 30;
constexpr off_t kLargestSource = off_t{16} << 20;
constexpr std::size_t kLongestText = 300;
constexpr double kMostSeconds = 10;         // addr2line on a program with a gigabyte of debug information

std::optional<uint64_t> offset_of(const SourceLine& source) {
  const std::string_view text = source.function;
  if (source.line != 0 || !text.starts_with("+0x")) return std::nullopt;
  uint64_t offset = 0;
  const auto [end, code] = std::from_chars(text.data() + 3, text.data() + text.size(), offset, 16);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return offset;
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

/// A trace may come from anybody and name any file as the module that ran: only plain files that the user or the system put there are looked at.
bool is_trustworthy(const std::string& path, off_t largest) {
  struct stat info {};
  if (!path.starts_with('/') || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > largest) return false;
  return info.st_uid == 0 || info.st_uid == geteuid();
}

std::string text_of_line(const std::string& path, int64_t line) {
  if (!is_trustworthy(path, kLargestSource)) return {};
  std::ifstream in(path);
  std::string text;
  for (int64_t i = 0; i < line; ++i)
    if (!std::getline(in, text)) return {};
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? std::string() : printable(text.substr(begin, std::min(kLongestText, text.find_last_not_of(" \t\r") - begin + 1)));
}

/// "FUNCTION\nFILE:LINE (discriminator 1)\n".
bool by_addr2line(const std::string& module, uint64_t offset, SourceLine& to) {
  const std::string text = output_of({"addr2line", "-C", "-f", "-e", module, fmt::format("{:#x}", offset)}, kMostSeconds);
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return false;
  std::string_view place = std::string_view(text).substr(end + 1);
  place = place.substr(0, place.find_first_of(" \n"));
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || place.starts_with("??")) return false;
  int64_t line = 0;
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  if (line <= 0) return false;
  to.file = printable(place.substr(0, colon));
  to.line = line;
  to.function = printable(std::string_view(text).substr(0, end));
  to.text = text_of_line(to.file, line);
  return true;
}

/// An ELF file in memory. Every table is checked against the file's size before it is read.
class Elf {
 public:
  explicit Elf(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info {};
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
      size_ = static_cast<std::size_t>(info.st_size);
      void* map = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      map_ = map == MAP_FAILED ? nullptr : static_cast<const char*>(map);
    }
    if (fd >= 0) close(fd);
  }
  ~Elf() {
    if (map_ != nullptr) munmap(const_cast<char*>(map_), size_);
  }
  Elf(const Elf&) = delete;
  Elf& operator=(const Elf&) = delete;

  /// The function around an offset from the load address; empty if unknown.
  std::string function_at(uint64_t offset) const {
    const auto* header = at<Elf64_Ehdr>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return {};
    const auto* sections = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (sections == nullptr) return {};
    std::string best;
    uint64_t best_start = 0;
    for (int i = 0; i < header->e_shnum; ++i) {
      const Elf64_Shdr& table = sections[i];
      if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || table.sh_link >= header->e_shnum) continue;
      const Elf64_Shdr& names = sections[table.sh_link];
      const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
      const auto* symbols = at<Elf64_Sym>(table.sh_offset, count);
      const auto* strings = at<char>(names.sh_offset, names.sh_size);
      if (symbols == nullptr || strings == nullptr) continue;
      for (uint64_t s = 0; s < count; ++s) {
        const Elf64_Sym& symbol = symbols[s];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || offset < symbol.st_value || offset - symbol.st_value >= symbol.st_size) continue;
        if (symbol.st_name >= names.sh_size || (!best.empty() && symbol.st_value <= best_start)) continue;
        const char* name = strings + symbol.st_name;
        best.assign(name, strnlen(name, names.sh_size - symbol.st_name));
        best_start = symbol.st_value;
      }
    }
    return best.empty() ? best : fmt::format("{} + {:#x}", demangled(best.c_str()), offset - best_start);
  }

 private:
  template <typename T>
  const T* at(uint64_t offset, uint64_t count) const {
    if (map_ == nullptr || offset > size_ || offset % alignof(T) != 0 || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(map_ + offset);
  }

  const char* map_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

SourceLine symbolised(const SourceLine& source) {
  const std::optional<uint64_t> offset = offset_of(source);
  if (!offset || !is_trustworthy(source.file, kLargestModule)) return source;
  SourceLine result = source;
  if (by_addr2line(source.file, *offset, result)) return result;
  if (std::string function = Elf(source.file).function_at(*offset); !function.empty()) result.function = printable(function);
  return result;
}

void symbolise(Trace& trace, const std::vector<int>& calls) {
  for (const int call : calls) {
    if (call < 0 || static_cast<std::size_t>(call) >= trace.calls.size()) continue;
    const int source = trace.calls[static_cast<std::size_t>(call)].source;
    if (source >= 0) trace.sources[static_cast<std::size_t>(source)] = symbolised(trace.sources[static_cast<std::size_t>(source)]);
  }
}

}  // namespace minrepro
