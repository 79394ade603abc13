# LibTorch from a Python environment's torch package. The wheel's own TorchConfig.cmake wants a CUDA toolkit; we need the CPU side only.
#   MINREPRO_TORCH_PYTHON   a Python with torch (default: $TORCH_PYTHON, else build/venv)

if(NOT MINREPRO_TORCH_PYTHON)
  if(DEFINED ENV{TORCH_PYTHON})
    set(default $ENV{TORCH_PYTHON})
  else()
    set(default ${CMAKE_SOURCE_DIR}/build/venv/bin/python)
  endif()
  set(MINREPRO_TORCH_PYTHON ${default} CACHE FILEPATH "A Python that has torch" FORCE)
endif()

execute_process(
  COMMAND ${MINREPRO_TORCH_PYTHON} -c "import torch, os; print(os.path.dirname(torch.__file__)); print(torch.__version__)"
  OUTPUT_VARIABLE torch_facts RESULT_VARIABLE failed ERROR_VARIABLE torch_error OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "No torch in '${MINREPRO_TORCH_PYTHON}'. Run tools/setup.sh, or set TORCH_PYTHON to a Python that has torch 2.11 or newer.\n${torch_error}")
endif()
string(REPLACE "\n" ";" torch_facts "${torch_facts}")
list(GET torch_facts 0 MINREPRO_TORCH_DIR)
list(GET torch_facts 1 MINREPRO_TORCH_VERSION)
message(STATUS "LibTorch ${MINREPRO_TORCH_VERSION} in ${MINREPRO_TORCH_DIR}")

add_library(torch_cpu_only INTERFACE)
target_include_directories(torch_cpu_only SYSTEM INTERFACE ${MINREPRO_TORCH_DIR}/include ${MINREPRO_TORCH_DIR}/include/torch/csrc/api/include)
target_link_directories(torch_cpu_only INTERFACE ${MINREPRO_TORCH_DIR}/lib)
target_link_libraries(torch_cpu_only INTERFACE -Wl,--no-as-needed torch_cpu c10 -Wl,--as-needed)
