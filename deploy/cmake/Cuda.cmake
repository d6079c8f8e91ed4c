# Kernels for NVIDIA GPUs, of the engine and of what uses torch. AAREN_WITH_CUDA says whether they are built; it is on
# where there is a compiler for them, 12.0 or newer: CMAKE_CUDA_COMPILER, CUDACXX or nvcc of the user's, else the one in
# deploy/setup's cache. Neither a GPU nor a driver is needed to compile. For other GPUs than the usual:
# -DCMAKE_CUDA_ARCHITECTURES=86.

# nvcc's version, or nothing.
function(aaren_nvcc_version nvcc version)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE code)
  set(${version} "" PARENT_SCOPE)
  if(code EQUAL 0 AND text MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${version} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

set(AAREN_NVCC "")
set(AAREN_NVCC_WHY_NOT "no nvcc in PATH or in ${AAREN_CACHE}/cuda-13.0.88; ./deploy/setup fetches one")
foreach(candidate IN ITEMS "${CMAKE_CUDA_COMPILER}" "$ENV{CUDACXX}" nvcc ${AAREN_CACHE}/cuda-13.0.88/nvidia/cu13/bin/nvcc)
  if(AAREN_NVCC OR candidate STREQUAL "")
    continue()
  endif()
  aaren_nvcc_version(${candidate} version)
  if(version VERSION_GREATER_EQUAL 12.0)
    set(AAREN_NVCC ${candidate})
    set(AAREN_NVCC_VERSION ${version})
  elseif(version)
    set(AAREN_NVCC_WHY_NOT "${candidate} is of version ${version}, and 12.0 is needed")
  endif()
endforeach()

# Not in CMake's cache unless the user puts it there, so that a compiler that appears later is taken.
if(NOT DEFINED AAREN_WITH_CUDA)
  set(AAREN_WITH_CUDA OFF)
  if(AAREN_NVCC)
    set(AAREN_WITH_CUDA ON)
  endif()
elseif(NOT AAREN_WITH_CUDA)
  set(AAREN_NVCC_WHY_NOT "AAREN_WITH_CUDA is off")
endif()

if(NOT AAREN_WITH_CUDA)
  message(STATUS "CUDA kernels: not built: ${AAREN_NVCC_WHY_NOT}")
elseif(NOT AAREN_NVCC)
  message(FATAL_ERROR "CUDA kernels: ${AAREN_NVCC_WHY_NOT}. Or configure with -DAAREN_WITH_CUDA=OFF.")
else()
  set(CMAKE_CUDA_COMPILER ${AAREN_NVCC})
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90a-real)  # the former also as PTX, which drivers turn into code for newer GPUs
    if(AAREN_NVCC_VERSION VERSION_GREATER_EQUAL 12.8)
      list(APPEND CMAKE_CUDA_ARCHITECTURES 120-real)
    endif()
  endif()
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  enable_language(CUDA)
  message(STATUS "CUDA kernels: ${AAREN_NVCC} for ${CMAKE_CUDA_ARCHITECTURES}")
endif()

# For kernels that make bits of the exact tier: no product is fused with a sum but where the code says so, subnormal
# numbers are kept, division and square root are IEEE.
set(AAREN_EXACT_CUDA -fmad=false -ftz=false -prec-div=true -prec-sqrt=true)

# A plug-in library of kernels: it carries its own CUDA runtime, and exports what its source marks for export, nothing
# else.
function(aaren_cuda_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE "SHELL:--Werror all-warnings" "SHELL:-Xcompiler -Wall,-Wextra,-Werror")
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Static CUDA_VISIBILITY_PRESET hidden
                                           CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
endfunction()
