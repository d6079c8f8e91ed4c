#ifndef AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_
#define AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_

// The generator of training series. A series is of one family (families/family.h), each as likely as any other. A few
// are read backwards, mixed with a series of another family, or become one of another at some moment. Then comes what
// happens to any series and its measurement (augmentation.h), and last gaps. No real series is used anywhere, so a
// model trained on these alone is zero-shot on every real one.

#include <cstdint>
#include <vector>

#include "model/tasks/forecasting/families/family.h"

namespace aaren::forecasting {

// Raised when the same arguments give other series than before: a run that was begun with others cannot go on.
inline constexpr int kGeneratorEdition = 3;

// Series number `index` of the endless row of `seed`: `length` values, NaN where missing, at least one present, all of
// magnitude below 1e9. The same arguments give the same values; another length gives another series. REQUIRES:
// length >= 1.
std::vector<double> SyntheticSeries(uint64_t seed, uint64_t index, int length);

// Of which family that series is.
const Family& SyntheticFamily(uint64_t seed, uint64_t index);

// Series number `index` of this family alone; equal to SyntheticSeries where that has this family.
std::vector<double> SyntheticSeries(const Family& family, uint64_t seed, uint64_t index, int length);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_
