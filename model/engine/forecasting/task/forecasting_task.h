#ifndef AAREN_MODEL_ENGINE_FORECASTING_TASK_FORECASTING_TASK_H_
#define AAREN_MODEL_ENGINE_FORECASTING_TASK_FORECASTING_TASK_H_

// The task of a forecaster (model/README.md, steps 1 to 9). Values enter, quantiles of the next values leave, and the
// row learns from the mistakes of its forecasts. The task cuts runs into tiles, sends the tiles through a Network, and
// puts each forecast and surprise in its place.

#include <memory>

#include "model/engine/forecasting/network.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/task.h"
#include "model/package/package.h"

namespace aaren::engine {

// Makes the task. REQUIRES: LoadPackage accepted the package, and `network` is the network of the package. Extended
// rows also require FarHorizons::Fits.
std::unique_ptr<Task> NewForecastingTask(const package::ModelPackage& package, std::unique_ptr<const Network> network,
                                         const RowKind& rows = {});

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_TASK_FORECASTING_TASK_H_
