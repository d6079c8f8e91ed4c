# A toolchain: builds for 64-bit Arm on another machine, by Debian's cross compiler against the libraries that
# `deploy/setup --with-arm64` unpacks. Programs run under QEMU: that shows that the bits are the same, and nothing of
# the speed.

if("$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(CMAKE_SYSROOT $ENV{HOME}/.cache/aaren/arm64)
else()
  set(CMAKE_SYSROOT $ENV{XDG_CACHE_HOME}/aaren/arm64)
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Some of CMake's own modules ask pkg-config, which knows this machine's libraries.
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
