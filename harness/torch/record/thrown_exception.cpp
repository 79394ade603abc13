#include "harness/torch/record/thrown_exception.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

#include "harness/torch/record/thread_state.h"

namespace minrepro {
namespace {

using Throw = void (*)(void*, std::type_info*, void (*)(void*));
Throw real_throw = nullptr;

#if defined(__x86_64__)
constexpr unsigned kImports[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT};
#elif defined(__aarch64__)
constexpr unsigned kImports[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT};
#else
constexpr unsigned kImports[] = {0u, 0u};
#endif

/// The exception as a T, if a catch (const T&) would take it.
template <typename T>
const T* as(void* object, const std::type_info* type) {
  void* adjusted = object;
  return typeid(T).__do_catch(type, &adjusted, 1) ? static_cast<const T*>(adjusted) : nullptr;
}

void note(void* object, const std::type_info* type, ThreadState& thread) {
  int status = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  thread.thrown_type = status == 0 && name != nullptr ? name : type->name();
  std::free(name);
  // With a backtrace it would be long, and slow to make.
  if (const auto* error = as<c10::Error>(object, type)) thread.thrown_message = error->what_without_backtrace();
  else if (const auto* other = as<std::exception>(object, type)) thread.thrown_message = other->what();
  else thread.thrown_message.clear();
}

[[noreturn]] void throw_and_note(void* object, std::type_info* type, void (*destroy)(void*)) {
  ThreadState& thread = this_thread();
  if (thread.current != nullptr && !thread.is_inside) {
    const Inside inside(thread);
    try {
      note(object, type, thread);
    } catch (...) {
      // Out of memory: the message is lost, the exception is not.
    }
  }
  real_throw(object, type, destroy);
  std::abort();
}

struct Dynamic {
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela)* tables[2] = {nullptr, nullptr};
  std::size_t sizes[2] = {0, 0};
};

Dynamic read_dynamic(const dl_phdr_info& info) {
  Dynamic d;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr); entry->d_tag != DT_NULL; ++entry) {
      const auto address = entry->d_un.d_ptr;   // the loader has relocated it
      if (entry->d_tag == DT_SYMTAB) d.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_STRTAB) d.strings = reinterpret_cast<const char*>(address);
      if (entry->d_tag == DT_JMPREL) d.tables[0] = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_PLTRELSZ) d.sizes[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
      if (entry->d_tag == DT_RELA) d.tables[1] = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_RELASZ) d.sizes[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
  return d;
}

bool is_read_only_after_relocation(const dl_phdr_info& info, uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

void redirect(const dl_phdr_info& info, uintptr_t slot) {
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(slot & ~(page_size - 1));
  if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return;
  *reinterpret_cast<Throw*>(slot) = throw_and_note;
  if (is_read_only_after_relocation(info, slot)) mprotect(page, page_size, PROT_READ);
}

int visit_module(dl_phdr_info* info, std::size_t, void*) {
  const std::string_view path = info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("libtorch") && !name.starts_with("libc10")) return 0;
  const Dynamic d = read_dynamic(*info);
  if (d.symbols == nullptr || d.strings == nullptr) return 0;
  for (int t = 0; t < 2; ++t) {
    for (std::size_t i = 0; d.tables[t] != nullptr && i < d.sizes[t]; ++i) {
      const ElfW(Rela)& relocation = d.tables[t][i];
      const auto type = static_cast<unsigned>(ELF64_R_TYPE(relocation.r_info));
      if (type != kImports[0] && type != kImports[1]) continue;
      if (std::strcmp(d.strings + d.symbols[ELF64_R_SYM(relocation.r_info)].st_name, "__cxa_throw") == 0) redirect(*info, info->dlpi_addr + relocation.r_offset);
    }
  }
  return 0;
}

}  // namespace

void watch_exceptions() {
  real_throw = reinterpret_cast<Throw>(dlsym(RTLD_DEFAULT, "__cxa_throw"));
  if (real_throw != nullptr) dl_iterate_phdr(visit_module, nullptr);
}

}  // namespace minrepro
