#include "harness/torch/record/native_frames.h"

#include <fmt/format.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minrepro {
namespace {

struct Module {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uintptr_t base = 0;
  std::string path;
};

struct Cache {
  std::shared_mutex mutex;
  std::unordered_map<uintptr_t, SourceInfo*> places;   // null: an address in a library
};
Cache* current = new Cache;

bool is_library(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array<std::string_view, 18> kLibraries = {"libtorch", "libc10", "libminrepro", "libstdc++", "libc++", "libgcc_s", "libc.", "libc-", "libm.",
                                                           "libpthread", "libgomp", "libomp", "libiomp", "libmkl", "ld-linux", "linux-vdso", "libcaffe2", "libshm"};
  return std::any_of(kLibraries.begin(), kLibraries.end(), [&](std::string_view library) { return name.starts_with(library); });
}

struct Search {
  uintptr_t address;
  Module found;
};

int visit_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (search.address < begin || search.address >= begin + header.p_memsz) continue;
    search.found = {begin, begin + header.p_memsz, info->dlpi_addr, info->dlpi_name};
    return 1;
  }
  return 0;
}

SourceInfo* describe(uintptr_t address) {
  Search search{address, {}};
  if (dl_iterate_phdr(visit_module, &search) == 0) return nullptr;
  std::string path = search.found.path;
  if (path.empty()) {
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program);
    if (n > 0) path.assign(program, static_cast<std::size_t>(n));
  }
  if (is_library(path)) return nullptr;
  auto* info = new SourceInfo;
  info->file = path;
  info->function = fmt::format("+{:#x}", address - search.found.base);
  return info;
}

/// The place that an address belongs to; null for libraries.
SourceInfo* place_of(uintptr_t address) {
  Cache& c = *current;
  {
    std::shared_lock<std::shared_mutex> lock(c.mutex);
    if (const auto known = c.places.find(address); known != c.places.end()) return known->second;
  }
  SourceInfo* info = describe(address);
  std::lock_guard<std::shared_mutex> lock(c.mutex);
  return c.places.emplace(address, info).first->second;
}

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* data) {
  uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  // A return address belongs to the call before it, which may be the last instruction of its function.
  SourceInfo* place = place_of(address - 1);
  if (place == nullptr) return _URC_NO_REASON;
  *static_cast<SourceInfo**>(data) = place;
  return _URC_END_OF_STACK;
}

}  // namespace

void forget_native_frames() { current = new Cache; }

SourceInfo* native_source() {
  SourceInfo* found = nullptr;
  _Unwind_Backtrace(visit_frame, &found);
  return found;
}

}  // namespace minrepro
