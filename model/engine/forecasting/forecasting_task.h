#ifndef AAREN_MODEL_ENGINE_FORECASTING_FORECASTING_TASK_H_
#define AAREN_MODEL_ENGINE_FORECASTING_FORECASTING_TASK_H_

// The task of a forecaster (model/README.md, steps 1 to 9): values come in, quantiles of the next ones go out, and the
// row learns from their mistakes. It cuts runs into tiles, sends them through a Network, and gives each forecast and
// surprise its place.

#include <memory>

#include "model/engine/forecasting/network.h"
#include "model/engine/task.h"
#include "model/package/package.h"

namespace aaren::engine {

// For a package that LoadPackage accepted, and its network.
std::unique_ptr<Task> NewForecastingTask(const package::ModelPackage& package, std::unique_ptr<const Network> network);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_FORECASTING_TASK_H_
