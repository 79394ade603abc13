#include "tools/parts.h"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "harness/base/files.h"
#include "tools/parts_config.h"

namespace minrepro {
namespace fs = std::filesystem;

Result<Parts> find_parts() {
  const fs::path here = executable_folder();
  std::error_code ignored;
  for (const fs::path& folder : {here, here / ".." / kPartsFolder}) {
    if (!fs::exists(folder / "minrepro-worker", ignored)) continue;
    const fs::path root = fs::weakly_canonical(folder, ignored);
    const Parts parts{(root / "minrepro-worker").string(), (root / "libminrepro_sim.so").string(), (root / "libminrepro_record.so").string(),
                      (root / "python").string(), (root / "ops.json").string(), kTorchDir};
    for (const std::string& part : {parts.sim_library, parts.record_library, parts.python_folder, parts.catalog})
      if (!fs::exists(part, ignored)) return Error{fmt::format("'{}' is missing; build it with: cmake --build {}", part, root.string())};
    if (!fs::exists(parts.torch_dir, ignored))
      return Error{fmt::format("torch is no longer in '{}', where it was when minrepro was built; install it again or rebuild", parts.torch_dir)};
    return parts;
  }
  return Error{fmt::format("minrepro-worker is neither beside '{}' nor in its ../{}; build it with: cmake --build build", here.string(), kPartsFolder)};
}

}  // namespace minrepro
