#include "tools/recorded_command.h"

#include <elf.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/base/files.h"
#include "harness/base/process.h"

namespace minrepro {
namespace fs = std::filesystem;

namespace {

constexpr double kMostSeconds = 20;         // for a program that is asked about the command

/// What the options of a Python command line say.
struct PythonWords {
  bool is_isolated = false;             ///< -I or -E: PYTHONPATH is not looked at
  std::string script;                   ///< or the module after -m; empty for -c and an interactive one
};

bool is_python(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  return name.starts_with("python") && name.find_first_not_of("0123456789.t", 6) == std::string::npos;
}

PythonWords read_python_words(const std::vector<std::string>& words) {
  PythonWords result;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || word == "-") {
      result.script = word;
      return result;
    }
    if (word.starts_with("--")) continue;
    for (std::size_t c = 1; c < word.size(); ++c) {
      const char letter = word[c];
      if (letter == 'I' || letter == 'E') result.is_isolated = true;
      const bool takes_rest = letter == 'c' || letter == 'm' || letter == 'W' || letter == 'X';
      if (!takes_rest) continue;
      const std::string rest = c + 1 < word.size() ? word.substr(c + 1) : i + 1 < words.size() ? words[++i] : "";
      if (letter == 'c') return result;
      if (letter == 'm') {
        result.script = rest;
        return result;
      }
      break;
    }
  }
  return result;
}

/// The dynamic loader that an ELF program names; empty for scripts and static programs.
std::string loader_of(const std::string& program) {
  std::ifstream in(program, std::ios::binary);
  Elf64_Ehdr header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + static_cast<uint64_t>(i) * sizeof segment));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    std::string loader(segment.p_filesz, '\0');
    in.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!in.read(loader.data(), static_cast<std::streamsize>(loader.size()))) return {};
    return loader.c_str();
  }
  return {};
}

/// The libtorch_cpu.so that the loader finds for a program (asked without running it); empty if it is not linked with LibTorch.
std::string linked_torch(const std::string& program) {
  const std::string loader = loader_of(program);
  if (loader.empty()) return {};
  std::istringstream libraries(output_of({loader, "--list", program}, kMostSeconds));
  std::string torch;
  for (std::string line; std::getline(libraries, line);) {
    const std::size_t arrow = line.find(" => ");
    if (arrow == std::string::npos) continue;
    const std::string path = line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
    const std::string name = fs::path(path).filename().string();
    if (name.starts_with("libtorch_cpu.so")) return path;
    if (name.starts_with("libtorch") || name.starts_with("libc10.")) torch = path;
  }
  return torch;
}

/// A LibTorch's version, from the file that wheels and the C++ distribution carry; empty if it has neither.
std::string version_of(const fs::path& torch_folder) {
  if (const auto text = read_file((torch_folder / "build-version").string())) return text->substr(0, text->find_first_of("\r\n"));
  if (const auto text = read_file((torch_folder / "version.py").string()))
    if (const std::size_t at = text->find("__version__ = '"); at != std::string::npos) return text->substr(at + 15, text->find('\'', at + 15) - at - 15);
  return {};
}

Status is_our_torch(const fs::path& torch_folder, const Parts& parts) {
  std::error_code ignored;
  if (fs::equivalent(torch_folder, parts.torch_dir, ignored)) return {};
  const std::string theirs = version_of(torch_folder);
  if (!theirs.empty() && theirs == version_of(parts.torch_dir)) return {};
  return Error{fmt::format("the command uses the LibTorch in '{}', this minrepro was built for the one in '{}'; build it with TORCH_PYTHON of the former",
                           torch_folder.string(), parts.torch_dir)};
}

std::string prepended(const std::string& first, const char* variable, const char* separator) {
  const char* rest = std::getenv(variable);
  return rest != nullptr && *rest != '\0' ? first + separator + rest : first;
}

}  // namespace

Result<ChildCommand> recorded_command(const RecordRequest& request, const Parts& parts) {
  Result<std::string> program = find_program(request.words.front());
  if (!program) return program.error();
  ChildCommand command;
  command.program = *program;
  command.words = request.words;
  command.environment["PYTHONPATH"] = prepended(parts.python_folder, "PYTHONPATH", ":");
  command.environment["MINREPRO_TRACE"] = request.folder;
  command.environment["MINREPRO_DATA"] = request.data;
  command.environment["MINREPRO_SIMULATE"] = request.simulate ? "1" : "0";
  command.environment["MINREPRO_SIM_LIBRARY"] = parts.sim_library;

  bool preload = false;
  if (is_python(request.words.front())) {
    if (read_python_words(request.words).is_isolated) {
      if (request.simulate)
        return Error{"python -I and -E keep out the start-up hook that maps cuda to the simulated device; leave that option out"};
      const std::string where = output_of({*program, "-I", "-c", "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')"}, kMostSeconds);
      if (const fs::path torch = fs::path(where.substr(0, where.find('\n'))).parent_path(); !torch.empty()) {
        if (Status status = is_our_torch(torch, parts); !status) return status.error();
        preload = true;
      }
    }
  } else if (const std::string torch = linked_torch(*program); !torch.empty()) {
    if (Status status = is_our_torch(fs::path(torch).parent_path().parent_path(), parts); !status) return status.error();
    preload = true;
  }
  if (preload) {
    const std::string libraries = request.simulate ? parts.record_library + ":" + parts.sim_library : parts.record_library;
    command.environment["LD_PRELOAD"] = prepended(libraries, "LD_PRELOAD", ":");
  }
  return command;
}

std::string default_trace_name(const std::vector<std::string>& words) {
  std::string name = words.front();
  if (is_python(name)) {
    const std::string script = read_python_words(words).script;
    if (!script.empty()) name = script;
  }
  name = fs::path(name).stem().string();
  return (name.empty() ? "run" : name) + ".trace";
}

}  // namespace minrepro
