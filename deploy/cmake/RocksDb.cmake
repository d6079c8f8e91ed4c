# rocksdb_library: the shared library of Debian's librocksdb-dev. Its CMake package asks for the development files of
# everything that the static library would need.

find_path(AAREN_ROCKSDB_INCLUDE rocksdb/db.h)
find_library(AAREN_ROCKSDB_LIBRARY NAMES librocksdb.so)
if(NOT AAREN_ROCKSDB_INCLUDE OR NOT AAREN_ROCKSDB_LIBRARY)
  message(FATAL_ERROR "No RocksDB. Run ./deploy/setup, or install librocksdb-dev.")
endif()
add_library(rocksdb_library SHARED IMPORTED)
set_target_properties(rocksdb_library PROPERTIES IMPORTED_LOCATION ${AAREN_ROCKSDB_LIBRARY}
                                                 INTERFACE_INCLUDE_DIRECTORIES ${AAREN_ROCKSDB_INCLUDE})
