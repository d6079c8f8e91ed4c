#ifndef AAREN_MODEL_TRAINING_FIT_SESSION_H_
#define AAREN_MODEL_TRAINING_FIT_SESSION_H_

// A session streams a whole series of a backtest through an engine, as a server would. A session with covariates is of
// the extended tier and is told the future covariates at the steps ahead, as far as the series has them.
//
// Threading: plain functions.

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/package/package.h"
#include "model/training/fit/backtest.h"

namespace aaren::training {

// The engine for a backtest's covariates. Errors are those of NewCpuEngine.
absl::StatusOr<std::unique_ptr<engine::Engine>> NewSessionEngine(const package::ModelPackage& package,
                                                                 const engine::Extension& covariates);

// The quantiles at the series' origins, by origin. Empty quantiles: no value came before the origin.
// REQUIRES: the engine is of the backtest's covariates, levels and at least its horizon.
absl::StatusOr<std::vector<WindowQuantiles>> StreamSeries(const engine::Engine& engine, const Backtest& backtest,
                                                          const BacktestSeries& series);

// The series less the effects of its future covariates, [rows]: the series that the session's network sees. Effects are
// those known at each row. Values are those of a row's memory, which rounds by 1/65,534 of a block's range.
absl::StatusOr<std::vector<double>> LessCovariates(const engine::Engine& engine, const engine::Extension& covariates,
                                                   const BacktestSeries& series);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FIT_SESSION_H_
