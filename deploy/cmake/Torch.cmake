# aaren_torch: LibTorch's CPU libraries. Looked for in the user's Torch_DIR, then in an importable torch, then in
# deploy/setup's cache. The CUDA wheel's own CMake package demands a whole CUDA toolkit, so c10 and torch_cpu are linked
# directly.

set(AAREN_TORCH_ROOT "" CACHE PATH "A LibTorch folder with include/ and lib/")
if(NOT Torch_DIR)
  set(Torch_DIR $ENV{Torch_DIR})
endif()
if(NOT AAREN_TORCH_ROOT AND Torch_DIR)
  get_filename_component(AAREN_TORCH_ROOT ${Torch_DIR}/../../.. ABSOLUTE)
endif()
if(NOT AAREN_TORCH_ROOT)
  find_program(AAREN_TORCH_PYTHON python3)
  if(AAREN_TORCH_PYTHON)
    execute_process(
      COMMAND ${AAREN_TORCH_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/importable_torch.py
      OUTPUT_VARIABLE AAREN_TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(NOT AAREN_TORCH_ROOT)
  set(AAREN_TORCH_ROOT ${AAREN_CACHE}/libtorch-2.11.0/torch)
endif()
if(NOT EXISTS ${AAREN_TORCH_ROOT}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No LibTorch in ${AAREN_TORCH_ROOT}. Run ./deploy/setup, or configure with -DAAREN_WITH_TRAINING=OFF.")
endif()
message(STATUS "LibTorch: ${AAREN_TORCH_ROOT}")

add_library(aaren_torch INTERFACE)
# After the system's headers: the wheel carries protobuf headers of its own.
target_compile_options(aaren_torch INTERFACE
  "SHELL:-idirafter ${AAREN_TORCH_ROOT}/include" "SHELL:-idirafter ${AAREN_TORCH_ROOT}/include/torch/csrc/api/include")
target_link_libraries(aaren_torch INTERFACE ${AAREN_TORCH_ROOT}/lib/libtorch_cpu.so ${AAREN_TORCH_ROOT}/lib/libc10.so)
target_link_options(aaren_torch INTERFACE -Wl,-rpath,${AAREN_TORCH_ROOT}/lib)
