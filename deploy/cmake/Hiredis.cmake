# hiredis_library: the shared library of Debian's libhiredis-dev, whose version 0.14 brings no CMake package.

find_path(AAREN_HIREDIS_INCLUDE hiredis/hiredis.h)
find_library(AAREN_HIREDIS_LIBRARY NAMES libhiredis.so)
if(NOT AAREN_HIREDIS_INCLUDE OR NOT AAREN_HIREDIS_LIBRARY)
  message(FATAL_ERROR "No hiredis. Run ./deploy/setup, or install libhiredis-dev.")
endif()
add_library(hiredis_library SHARED IMPORTED)
set_target_properties(hiredis_library PROPERTIES IMPORTED_LOCATION ${AAREN_HIREDIS_LIBRARY}
                                                 INTERFACE_INCLUDE_DIRECTORIES ${AAREN_HIREDIS_INCLUDE})
