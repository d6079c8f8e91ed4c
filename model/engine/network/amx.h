#ifndef AAREN_MODEL_ENGINE_NETWORK_AMX_H_
#define AAREN_MODEL_ENGINE_NETWORK_AMX_H_

// Intel's matrix registers (AMX) for bfloat16: whether this CPU has them. Linux hands them out by process and on
// request, so the first question asks for them too. Threading: any thread may ask at any time.

namespace aaren::engine {

// Whether kernels may use them: the CPU has them, the kernel grants them, and no ForbidAmx lives.
bool MayUseAmx();

// While it lives, kernels do without: for tests that compare them. Not while another thread computes.
class ForbidAmx {
 public:
  ForbidAmx();
  ~ForbidAmx();
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_AMX_H_
