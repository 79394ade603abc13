# cmake -DFOLDER=… -DOUT=… -P join_programs.cmake: all emitted programs of tests/golden/emit as one source file, so that LibTorch's headers are read once.
# Each is in a namespace of its own; the first argument says which one runs, the second is its device.
file(GLOB files ${FOLDER}/*.cpp)
set(table "")
set(bodies "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.cpp$" "" name ${name})
  string(MAKE_C_IDENTIFIER ${name} space)
  file(READ ${file} text)
  string(REGEX REPLACE "#include <[^>\n]*>\n" "" text "${text}")
  # Only a main function may end without a return.
  string(REPLACE "int main(" "int run(" text "${text}")
  string(REGEX REPLACE "}\n$" "  return 0;\n}\n" text "${text}")
  string(APPEND bodies "namespace emitted_${space} {\n${text}}\n\n")
  string(APPEND table "    {\"${name}\", emitted_${space}::run},\n")
endforeach()
file(WRITE ${OUT}.new "#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

${bodies}int main(int argc, char** argv) {
  const std::map<std::string, int (*)(int, char**)> programs = {
${table}  };
  const auto found = programs.find(argc > 1 ? argv[1] : \"\");
  if (found == programs.end()) return 100;
  return found->second(argc - 1, argv + 1);
}
")
file(RENAME ${OUT}.new ${OUT})
