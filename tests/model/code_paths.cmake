# aaren_code_paths(TEST [FILTER]): runs a numeric test program again as other CPUs would run it, one ctest for each.
#
# Torch, MKL and oneDNN choose their code, and with it the order of their sums, by the CPU: a bound of rounding that
# holds on one machine need not on the next. MKL takes its oldest path on every CPU that is not Intel's, beside torch's
# newest. MKL and oneDNN take no path that the CPU lacks; torch takes what it is told, so it is told no more than this
# machine has.

file(STRINGS /proc/cpuinfo AAREN_CPU_FLAGS REGEX "^flags" LIMIT_COUNT 1)

set(AAREN_CODE_PATHS old)
set(AAREN_CODE_PATH_old ATEN_CPU_CAPABILITY=default MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=SSE41)
if(AAREN_CPU_FLAGS MATCHES " avx2 ")
  list(APPEND AAREN_CODE_PATHS avx2 avx2_not_intel)
  set(AAREN_CODE_PATH_avx2 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2)
  set(AAREN_CODE_PATH_avx2_not_intel ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=AVX2)
endif()
if(AAREN_CPU_FLAGS MATCHES " avx512bw " AND AAREN_CPU_FLAGS MATCHES " avx512vl( |$)")
  list(APPEND AAREN_CODE_PATHS avx512 avx512_not_intel)
  set(AAREN_CODE_PATH_avx512 ATEN_CPU_CAPABILITY=avx512 MKL_ENABLE_INSTRUCTIONS=AVX512 ONEDNN_MAX_CPU_ISA=AVX512_CORE)
  set(AAREN_CODE_PATH_avx512_not_intel ATEN_CPU_CAPABILITY=avx512 MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=AVX512_CORE)
endif()

function(aaren_code_paths test)
  set(filter *)
  if(ARGC GREATER 1)
    set(filter ${ARGV1})
  endif()
  foreach(path IN LISTS AAREN_CODE_PATHS)
    add_test(NAME ${test}.${path} COMMAND ${test} --gtest_filter=${filter} --gtest_brief=1)
    # One thread: these numbers are few, and spinning threads of one test would starve the next.
    set_tests_properties(${test}.${path} PROPERTIES ENVIRONMENT "${AAREN_CODE_PATH_${path}};OMP_NUM_THREADS=1" TIMEOUT 300)
  endforeach()
endfunction()
