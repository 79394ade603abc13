#pragma once

#include <string>

#include "harness/base/result.h"

namespace minrepro {

/// Where the parts beside the binary lie.
struct Parts {
  std::string worker;          ///< minrepro-worker
  std::string sim_library;     ///< libminrepro_sim.so
  std::string record_library;  ///< libminrepro_record.so
  std::string python_folder;   ///< start-up hook and simulate module
  std::string catalog;         ///< ops.json
  std::string torch_dir;       ///< folder of the torch package that the parts were built for
};

/// Looks beside the binary (build folder), then in ../lib/minrepro (installed). The error names the missing part and how to build it.
Result<Parts> find_parts();

}  // namespace minrepro
