#ifndef AAREN_MODEL_TRAINING_FIT_STATSFORECAST_H_
#define AAREN_MODEL_TRAINING_FIT_STATSFORECAST_H_

// Forecasts by methods of statsforecast, a library for Python, to judge a model by. The library is no part of the
// project: python3 on the PATH runs the methods where the user has installed the library.
//
// Threading: blocks; starts a process.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/training/fit/backtest.h"

namespace aaren::training {

// Fits each method, like "AutoETS", anew before every origin of the backtest, to the newest 1,024 rows, with missing
// rows interpolated. The result has the forecasts of each method, in order; a window whose fit failed has none. `jobs`
// processes fit at once. NotFound if python3 or statsforecast is missing. Unavailable if the process failed, or wrote
// windows of another shape than the backtest's.
absl::StatusOr<std::vector<Forecasts>> StatsforecastForecasts(const std::vector<std::string>& methods,
                                                              const Backtest& backtest, int jobs);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FIT_STATSFORECAST_H_
