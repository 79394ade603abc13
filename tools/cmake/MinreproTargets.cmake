# One function for each kind of target, and the settings that all of them share.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# LibTorch's RecordFunction has a debug-only member: everything that includes LibTorch has to agree with how the wheel was built.
add_compile_definitions(NDEBUG)
# Designated initialisers leave members at their defaults on purpose. g++ 12 sees overlapping copies in std::string's own operator+ (its bug 105651).
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

option(MINREPRO_TESTS "Build the tests and benchmarks" ON)
option(MINREPRO_FUZZERS "Build the libFuzzer targets of tests/fuzz; needs clang" OFF)
if(MINREPRO_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(cxxopts REQUIRED)
if(MINREPRO_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  include(GoogleTest)
endif()

# All binaries lie side by side: the program finds its parts relative to itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(MINREPRO_PARTS_DIR ${CMAKE_INSTALL_LIBDIR}/minrepro)

# minrepro_library(NAME SOURCES… DEPENDS…): a static library of plain C++, no LibTorch.
function(minrepro_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${A_DEPENDS} fmt::fmt-header-only nlohmann_json::nlohmann_json)
endfunction()

# minrepro_torch_library(NAME SOURCES… DEPENDS…): a shared library that is loaded into a process with LibTorch.
function(minrepro_torch_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} SHARED ${A_SOURCES})
  minrepro_use_torch(${name} ${A_DEPENDS})
  install(TARGETS ${name} LIBRARY DESTINATION ${MINREPRO_PARTS_DIR})
endfunction()

# minrepro_torch_program(NAME SOURCES… DEPENDS…): an executable linked with LibTorch.
function(minrepro_torch_program name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  minrepro_use_torch(${name} ${A_DEPENDS})
endfunction()

function(minrepro_use_torch name)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARGN} torch_cpu_only fmt::fmt-header-only nlohmann_json::nlohmann_json)
  # Nothing of ours may meet a symbol of the user's process.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    BUILD_RPATH "${MINREPRO_TORCH_DIR}/lib;$ORIGIN" INSTALL_RPATH "${MINREPRO_TORCH_DIR}/lib;$ORIGIN")
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
endfunction()

# minrepro_test(NAME SOURCES… DEPENDS…): one GoogleTest program; its tests are CTest's.
function(minrepro_test name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${A_DEPENDS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE MINREPRO_SOURCE_DIR="${CMAKE_SOURCE_DIR}" MINREPRO_BUILD_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
