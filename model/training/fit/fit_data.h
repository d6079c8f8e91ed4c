#ifndef AAREN_MODEL_TRAINING_FIT_FIT_DATA_H_
#define AAREN_MODEL_TRAINING_FIT_FIT_DATA_H_

// The data of `aaren-train fit --csv`: series, each with its covariates.

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "model/training/fit/backtest.h"
#include "model/training/fit/fit.h"

namespace aaren::training {

// Rows at the end of a series that are held back.
size_t HeldBack(size_t rows, int horizon);

// The series of the file, without origins. A series of three horizons or fewer is left out with a line on standard
// error. InvalidArgument if no series is left; otherwise errors are those of ReadCsvSeries.
absl::StatusOr<std::vector<BacktestSeries>> ReadFitData(const FitLine& line, int horizon);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FIT_FIT_DATA_H_
