# Run by the build: cmake -DSOURCE=... -DVERSION=... -DOUTPUT=... -P CodeVersion.cmake
# writes a source file that says which code this is: the project's version and, in a git checkout of it, the commit.

find_program(GIT git)
set(CODE_VERSION ${VERSION})
if(GIT)
  # Inside another project's checkout the prefix is not empty, and its commit says nothing about this code.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE PREFIX RESULT_VARIABLE FAILED ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT FAILED AND PREFIX STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty=-modified
                    OUTPUT_VARIABLE COMMIT RESULT_VARIABLE FAILED ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT FAILED AND NOT COMMIT STREQUAL "")
      set(CODE_VERSION "${VERSION}+${COMMIT}")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "model/training/report/code_version.h"

namespace aaren::training {

const char* CodeVersion() { return "@CODE_VERSION@"; }

}  // namespace aaren::training
]])
