# A toolchain: builds for 64-bit Arm on another machine, by Debian's cross compiler and its libraries for arm64. Its tests run
# under QEMU, an instruction at a time: they show that the bits are the same, and nothing of the speed.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
# Some of CMake's own modules ask pkg-config, which knows this machine's libraries.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
