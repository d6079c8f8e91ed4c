# cjose_library: the shared library of Debian's libcjose-dev, which brings no CMake package.

find_path(AAREN_CJOSE_INCLUDE cjose/cjose.h)
find_library(AAREN_CJOSE_LIBRARY NAMES libcjose.so)
if(NOT AAREN_CJOSE_INCLUDE OR NOT AAREN_CJOSE_LIBRARY)
  message(FATAL_ERROR "No cjose. Run ./deploy/setup, or install libcjose-dev.")
endif()
add_library(cjose_library SHARED IMPORTED)
set_target_properties(cjose_library PROPERTIES IMPORTED_LOCATION ${AAREN_CJOSE_LIBRARY}
                                               INTERFACE_INCLUDE_DIRECTORIES ${AAREN_CJOSE_INCLUDE})
