# aaren_openmp: what at::parallel_for needs to be parallel; empty where the compiler has no OpenMP. LibTorch brings a
# libgomp of its own, so a program links that one and not a second of the same name.

add_library(aaren_openmp INTERFACE)
find_package(OpenMP COMPONENTS CXX)
set(AAREN_TORCH_GOMP ${AAREN_TORCH_ROOT}/lib/libgomp.so.1)
if(NOT OpenMP_CXX_FOUND)
  message(STATUS "No OpenMP for this compiler: the scan runs on one thread")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND EXISTS ${AAREN_TORCH_GOMP})
  target_compile_options(aaren_openmp INTERFACE ${OpenMP_CXX_FLAGS})
  target_link_libraries(aaren_openmp INTERFACE ${AAREN_TORCH_GOMP})
else()
  target_link_libraries(aaren_openmp INTERFACE OpenMP::OpenMP_CXX)
endif()
