#include "model/training/program/wait_policy.h"

#include <unistd.h>

#include <cstdlib>

namespace aaren::training {

void WaitPassively(char** argv) {
  if (getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (setenv("OMP_WAIT_POLICY", "PASSIVE", 1) != 0) return;
  execv("/proc/self/exe", argv);
}

}  // namespace aaren::training
