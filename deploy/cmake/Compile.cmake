# How every target here is compiled. aaren_library(NAME SOURCES ... ) and aaren_program(NAME SOURCES ...) apply it, so
# that no flag is set for a whole directory.

# With CMAKE_UNITY_BUILD the sources of a target are compiled in batches. Two files of a target must then not give one
# name two meanings.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

add_library(aaren_compile INTERFACE)
target_compile_features(aaren_compile INTERFACE cxx_std_20)
target_include_directories(aaren_compile INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(aaren_compile INTERFACE -pthread)
# A product and a sum are fused only where the code says so: the exact tier depends on it.
target_compile_options(aaren_compile INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string's own operator+ (its bug 105651), and wrong bounds where a string made of a long
  # literal is moved (its bug 105329). Clang and the sanitizers look for both, too.
  target_compile_options(aaren_compile INTERFACE
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC takes each source of a batch for a header.
  target_compile_options(aaren_compile INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(aaren_compile INTERFACE -Wthread-safety -Wno-gnu-zero-variadic-macro-arguments)
endif()
if(AAREN_SANITIZE)
  target_compile_options(aaren_compile INTERFACE -fsanitize=${AAREN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(aaren_compile INTERFACE -fsanitize=${AAREN_SANITIZE})
endif()

# Headers that most files include are precompiled once for libraries and programs, and once for tests. Each file names
# its headers all the same: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shared_headers.cc CONTENT "// shared_headers.h, precompiled.\n")
set(AAREN_SHARED_HEADERS
  <algorithm> <array> <atomic> <cmath> <cstddef> <cstdint> <cstring> <deque> <functional> <limits> <memory> <optional>
  <string> <utility> <vector> <absl/container/flat_hash_map.h> <absl/functional/any_invocable.h> <absl/status/statusor.h>
  <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/synchronization/mutex.h> <absl/time/time.h>
  <absl/types/span.h>)

# Remembers that `name` takes the precompiled headers `headers`, unless the target has others.
function(aaren_shares_headers headers name)
  set_property(GLOBAL APPEND PROPERTY AAREN_SHARES_${headers} ${name})
endfunction()

# Called once all targets are known. OpenMP changes the language, and a module of Python wants code for any address, so
# such sources do without.
function(aaren_share_headers headers)
  get_property(names GLOBAL PROPERTY AAREN_SHARES_${headers})
  add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/shared_headers.cc)
  target_link_libraries(${headers} PRIVATE aaren_compile)
  target_precompile_headers(${headers} PRIVATE ${AAREN_SHARED_HEADERS} ${ARGN})
  foreach(name IN LISTS names)
    get_target_property(others ${name} PRECOMPILE_HEADERS_REUSE_FROM)
    get_target_property(own ${name} PRECOMPILE_HEADERS)
    get_target_property(any_address ${name} POSITION_INDEPENDENT_CODE)
    get_target_property(libraries ${name} LINK_LIBRARIES)
    if(NOT others AND NOT own AND NOT any_address AND NOT aaren_openmp IN_LIST libraries)
      target_precompile_headers(${name} REUSE_FROM ${headers})
    endif()
  endforeach()
endfunction()

# A program under ThreadSanitizer is told of the locks in libraries that are not instrumented.
function(aaren_sanitized name)
  if(AAREN_WITH_TESTS AND AAREN_SANITIZE STREQUAL thread)
    target_link_libraries(${name} PRIVATE aaren_tsan)
  endif()
endfunction()

function(aaren_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:aaren_compile> ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  aaren_shares_headers(shared_headers ${name})
endfunction()

function(aaren_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE aaren_compile ${ARG_LIBRARIES})
  aaren_shares_headers(shared_headers ${name})
  aaren_sanitized(${name})
endfunction()

# For targets that make bits of the exact tier. GCC's vectoriser of straight-line code (SLP) forms one fused
# instruction, vfmsubadd or vfmaddsub, of neighbouring products and sums, in spite of -ffp-contract=off. It does so
# where the target has FMA. Each source is compiled alone, in every build alike.
function(aaren_exact)
  foreach(name IN LISTS ARGN)
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endforeach()
endfunction()

if(AAREN_SANITIZE MATCHES undefined)
  set(AAREN_TEST_OPTIONS -O0)  # half the time to compile: the checks in GoogleTest's macros are many
endif()
# A GoogleTest program; every TEST in it becomes one ctest. PREFIX tells apart programs of the same sources.
function(aaren_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;PREFIX" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(AAREN_SANITIZE)
    math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
  endif()
  if(CMAKE_CROSSCOMPILING)
    math(EXPR ARG_TIMEOUT "10 * ${ARG_TIMEOUT}")  # under an emulator
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE aaren_compile ${ARG_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${AAREN_TEST_OPTIONS})
  aaren_shares_headers(shared_test_headers ${name})
  aaren_sanitized(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # Threads of OpenMP that spin while others work make a second's test a minute's.
  gtest_discover_tests(${name} TEST_PREFIX "${ARG_PREFIX}" DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT OMP_WAIT_POLICY=PASSIVE)
endfunction()
