#ifndef AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_
#define AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_

// The generator of training series. A series belongs to one family (families/family.h), each family equally likely. A
// few series are read backwards, mixed with a series of another family, or replaced by another from some moment on.
// Then come the events of any series and its measurement (augmentation.h), and last the gaps. No real series is used,
// so a model trained on these series alone is zero-shot on every real series.

#include <cstdint>
#include <vector>

#include "model/tasks/forecasting/families/family.h"

namespace aaren::forecasting {

// The edition rises when the same arguments give other series. A run begun with one edition cannot continue with
// another.
inline constexpr int kGeneratorEdition = 3;

// Series number `index` of the endless sequence of `seed`: `length` values, NaN where missing, at least one present,
// all of magnitude below 1e9. Equal arguments give equal values; another length gives another series. REQUIRES: length
// >= 1.
std::vector<double> SyntheticSeries(uint64_t seed, uint64_t index, int length);

// The family of that series.
const Family& SyntheticFamily(uint64_t seed, uint64_t index);

// Series number `index` of this family alone; equal to SyntheticSeries if that series belongs to this family.
std::vector<double> SyntheticSeries(const Family& family, uint64_t seed, uint64_t index, int length);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_
