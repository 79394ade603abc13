#include "tools/input.h"

#include <fmt/core.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/program/text_form.h"
#include "tools/command_line.h"

namespace minrepro {
namespace fs = std::filesystem;

Result<Input> read_input(const std::string& path) {
  std::error_code ignored;
  Input input;
  if (fs::is_directory(path, ignored) && is_trace(path)) {
    Result<Trace> trace = read_trace(path);
    if (!trace) return trace.error();
    input.trace = std::move(*trace);
    return input;
  }
  const std::string file = fs::is_directory(path, ignored) ? path + "/program.json" : path;
  if (!fs::is_regular_file(file, ignored)) {
    const fs::path parent = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) names.push_back(entry.path().filename().string());
    fs::path trimmed = path;
    if (!trimmed.has_filename()) trimmed = trimmed.parent_path();
    const std::string meant = nearest(trimmed.filename().string(), names);
    return Error{fmt::format("no trace or program at '{}'{}", path,
                             meant.empty() || meant == trimmed.filename() ? "; minrepro record makes a trace"
                                                                         : fmt::format(". Did you mean '{}'?", (parent == "." ? fs::path(meant) : parent / meant).string()))};
  }
  Result<std::string> text = read_file(file);
  if (!text) return text.error();
  Result<Program> program = program_from_text(*text);
  if (!program) return Error{fmt::format("{}: {}", file, program.error().message)};
  input.program = std::move(*program);
  return input;
}

Result<OpCatalog> read_catalog(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return OpCatalog::parse(*text);
}

}  // namespace minrepro
