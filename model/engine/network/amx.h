#ifndef AAREN_MODEL_ENGINE_NETWORK_AMX_H_
#define AAREN_MODEL_ENGINE_NETWORK_AMX_H_

// Intel's matrix registers (AMX) for bfloat16, and permission to use them. Linux grants the registers to a process on
// request, so the first call of MayUseAmx also requests them. Threading: any thread may call MayUseAmx at any time.

namespace aaren::engine {

// True if kernels may use AMX: the CPU has AMX, Linux grants AMX to this process, and no ForbidAmx exists.
bool MayUseAmx();

// Kernels do without AMX while a ForbidAmx exists. Tests use ForbidAmx to compare kernels. REQUIRES: no other thread
// computes meanwhile.
class ForbidAmx {
 public:
  ForbidAmx();
  ~ForbidAmx();
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_AMX_H_
