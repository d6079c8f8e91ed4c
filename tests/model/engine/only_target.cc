#include "tests/model/engine/only_target.h"

#include <hwy/highway.h>

#include "model/math/fma.h"

namespace aaren::engine {
namespace {

void Set(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace

OnlyTarget::OnlyTarget(int64_t target) { Set(target); }
OnlyTarget::~OnlyTarget() { Set(0); }

std::vector<int64_t> ExactTargets() {
  std::vector<int64_t> targets;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnlyTarget only(target);
    if (math::HasFma()) targets.push_back(target);
  }
  return targets;
}

}  // namespace aaren::engine
