#include "model/math/fma.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/math/fma.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::math {
namespace HWY_NAMESPACE {

// Highway chooses the target at run time, so the answer is about the CPU that runs and not about the CPU that compiled.
bool NativeFma() { return HWY_NATIVE_FMA != 0; }

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::math {

HWY_EXPORT(NativeFma);

bool HasFma() { return HWY_DYNAMIC_DISPATCH(NativeFma)(); }

}  // namespace aaren::math
#endif
