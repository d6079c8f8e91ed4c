#include "model/engine/network/amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace aaren::engine {
namespace {

int forbidden = 0;

#if defined(__x86_64__) && defined(__linux__)

constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM, a name missing from older headers
constexpr long kTileData = 18;               // the XSAVE component of the registers' contents

// The CPU needs AMX-TILE and AMX-BF16, and the parts of AVX-512 that the kernels use (F, DQ, BW and VL).
bool CpuHasIt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kVectors = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, kTiles = 1u << 22 | 1u << 24;
  return (b & kVectors) == kVectors && (d & kTiles) == kTiles;
}

// Linux gives the registers on request only. Without the request, the first instruction on a register is a fault.
bool Ask() { return CpuHasIt() && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0; }

#else

bool Ask() { return false; }

#endif

}  // namespace

bool MayUseAmx() {
  static const bool granted = Ask();
  return granted && forbidden == 0;
}

ForbidAmx::ForbidAmx() { ++forbidden; }
ForbidAmx::~ForbidAmx() { --forbidden; }

}  // namespace aaren::engine
