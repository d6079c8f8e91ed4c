# Finds what the build links. Debian's packages by find_package; LibTorch, the google/rpc protos and those of OTLP where
# deploy/setup put them.

find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(ZLIB REQUIRED)
find_package(hwy REQUIRED)
find_package(CLI11 CONFIG)
if(NOT CLI11_FOUND)
  message(FATAL_ERROR "No CLI11. Run ./deploy/setup, or install libcli11-dev.")
endif()

# Where deploy/setup unpacks what is not a Debian package.
if("$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(AAREN_CACHE $ENV{HOME}/.cache/aaren)
else()
  set(AAREN_CACHE $ENV{XDG_CACHE_HOME}/aaren)
endif()

if(AAREN_WITH_TRAINING)
  include(Torch)
  include(OpenMp)
endif()
include(Cuda)

if(AAREN_WITH_SERVER)
  find_package(Protobuf REQUIRED)
  find_package(gRPC CONFIG REQUIRED)
  find_package(prometheus-cpp REQUIRED)
  find_package(spdlog REQUIRED)
  include(RocksDb)
  include(Hiredis)
  include(Cjose)
  find_path(AAREN_GOOGLE_RPC google/rpc/status.proto
            PATHS ${AAREN_CACHE}/googleapis-1.76.0 /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
            DOC "The folder that holds google/rpc/*.proto")
  if(NOT AAREN_GOOGLE_RPC)
    message(FATAL_ERROR "No google/rpc/status.proto in ${AAREN_CACHE}/googleapis-1.76.0. Run ./deploy/setup.")
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  find_path(AAREN_OTLP opentelemetry/proto/collector/trace/v1/trace_service_pb2.py
            PATHS ${AAREN_CACHE}/opentelemetry-proto-1.45.2 NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
            DOC "The folder that holds opentelemetry/proto/, as Python modules")
  if(NOT AAREN_OTLP)
    message(FATAL_ERROR "No opentelemetry/proto in ${AAREN_CACHE}/opentelemetry-proto-1.45.2. Run ./deploy/setup.")
  endif()
endif()

if(AAREN_WITH_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
