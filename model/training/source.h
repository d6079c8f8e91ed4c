#ifndef AAREN_MODEL_TRAINING_SOURCE_H_
#define AAREN_MODEL_TRAINING_SOURCE_H_

// The source of training series: the synthetic generator or CSV files. A draw depends on its number alone, so a run
// that resumes at step n sees exactly the data of a run without interruption.
//
// Threading: const functions may run on any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/tasks/forecasting/series_csv.h"

namespace aaren::training {

class SeriesSource {
 public:
  virtual ~SeriesSource() = default;

  // The seed of everything that is drawn at random about the data: series, lengths of crops and places of tokens.
  virtual uint64_t seed() const = 0;

  // Everything that draws depend on, the values of files included, for the fingerprint of a run.
  virtual std::string Fingerprint() const = 0;

  // A crop of exactly `length` values for training; NaN where missing or past the end of the series. Equal indices give
  // equal crops.
  virtual std::vector<double> Draw(uint64_t index, int length) const = 0;

  // A crop that training never sees; indices count from 0.
  virtual std::vector<double> DrawHeldOut(uint64_t index, int length) const = 0;

  // The groups of the held-out crops: crop number i belongs to group i modulo the number of groups. Empty: no groups.
  virtual std::vector<std::string> HeldOutGroups() const { return {}; }

  // The number of different held-out crops; further indices repeat the crops in order. 0: without end.
  virtual uint64_t HeldOutCrops() const { return 0; }

  // The first value of DrawHeldOut(index, length) that may be forecast; training has seen the values before.
  virtual int HeldOutStart(uint64_t index, int length) const = 0;
};

// The endless sequence of synthetic series of this seed, with families in equal parts. Held-out crops come from the
// sequence of another seed and take each family in order; each family is a group.
std::unique_ptr<SeriesSource> SyntheticSource(uint64_t seed);

// Crops of these series. The last tenth of a series (at least `horizon` values) is held out; series too short for that
// are never drawn. REQUIRES: at least one series has more than 2 * horizon values.
std::unique_ptr<SeriesSource> CsvSource(std::vector<forecasting::CsvSeries> series, uint64_t seed, int horizon);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_SOURCE_H_
