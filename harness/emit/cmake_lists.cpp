#include "harness/emit/emit.h"

namespace minrepro {

std::string emit_cmake_lists() {
  // A delimiter of its own: CMake's text holds ")" and quotes in every order.
  return R"cmake(# Needs LibTorch, no CUDA toolkit:
#   cmake -S . -B build -DTORCH_DIR=/path/to/site-packages/torch && cmake --build build && build/repro
cmake_minimum_required(VERSION 3.18)
project(repro LANGUAGES CXX)

set(TORCH_DIR "" CACHE PATH "Folder of the torch package or of LibTorch: the one that holds include/ and lib/")
set(torch_hints ${TORCH_DIR})
if(NOT TORCH_DIR)
  foreach(prefix ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH} ${Torch_DIR})
    list(APPEND torch_hints ${prefix} ${prefix}/../.. ${prefix}/../../..)
  endforeach()
  execute_process(COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0], end='')"
                  OUTPUT_VARIABLE from_python RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    list(APPEND torch_hints ${from_python})
  endif()
endif()
set(torch "")
foreach(hint ${torch_hints})
  if(NOT torch AND EXISTS ${hint}/include/ATen/ATen.h AND EXISTS ${hint}/lib/libtorch_cpu.so)
    get_filename_component(torch ${hint} ABSOLUTE)
  endif()
endforeach()
if(NOT torch)
  message(FATAL_ERROR "LibTorch not found: configure with -DTORCH_DIR=FOLDER, the torch folder that holds include/ and lib/ (tried: '${torch_hints}')")
endif()
message(STATUS "LibTorch: ${torch}")

set(with_cuda OFF)
if(EXISTS /dev/nvidiactl AND EXISTS ${torch}/lib/libtorch_cuda.so)
  set(with_cuda ON)
endif()
option(WITH_CUDA "Link LibTorch's CUDA library; off, the program starts faster and runs on the CPU only" ${with_cuda})

add_executable(repro repro.cpp)
# As in LibTorch's own build: without NDEBUG some classes in its headers have another layout. Optimising would only make the build slower.
target_compile_definitions(repro PRIVATE NDEBUG)
set_target_properties(repro PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON BUILD_RPATH ${torch}/lib)
target_include_directories(repro SYSTEM PRIVATE ${torch}/include ${torch}/include/torch/csrc/api/include)
target_link_directories(repro PRIVATE ${torch}/lib)
# Libraries that register operators and kernels have to be loaded even where nothing of theirs is called by name.
set(libraries torch_cpu c10)
if(WITH_CUDA)
  list(INSERT libraries 0 torch_cuda c10_cuda)
endif()
target_link_libraries(repro PRIVATE -Wl,--no-as-needed ${libraries} ${CMAKE_DL_LIBS})
if(WITH_CUDA)
  # CUDA's own libraries lie beside the torch package and are found when the program starts.
  target_link_options(repro PRIVATE -Wl,--allow-shlib-undefined)
endif()
)cmake";
}

}  // namespace minrepro
