#ifndef AAREN_MODEL_TRAINING_SOURCE_H_
#define AAREN_MODEL_TRAINING_SOURCE_H_

// Where training series come from: the synthetic generator or CSV files. A draw depends on its number alone, so a run
// that resumes at step n sees exactly the data that it would have seen.
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

  // A crop of exactly `length` values for training; NaN where missing or past the end of the series. The same index
  // gives the same crop.
  virtual std::vector<double> Draw(uint64_t index, int length) const = 0;

  // A crop that training never sees; indices count from 0.
  virtual std::vector<double> DrawHeldOut(uint64_t index, int length) const = 0;

  // What the held-out crops fall into: crop number i is of group i modulo their number. Empty: nothing.
  virtual std::vector<std::string> HeldOutGroups() const { return {}; }

  // Of a held-out crop of this length, the first value that may be forecast: what is before it was trained on.
  virtual int HeldOutStart(int length) const = 0;
};

// The endless row of synthetic series of this seed, its families in equal parts. Held out is the row of another seed,
// the families by turns, each a group.
std::unique_ptr<SeriesSource> SyntheticSource(uint64_t seed);

// Crops of these series. Their last tenth (at least `horizon` values) is held out; a series too short for that is not
// drawn from. REQUIRES: at least one series has more than 2 * horizon values.
std::unique_ptr<SeriesSource> CsvSource(std::vector<forecasting::CsvSeries> series, uint64_t seed, int horizon);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_SOURCE_H_
