#ifndef AAREN_SERVER_OPERATE_METRICS_MODEL_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_MODEL_METRICS_H_

// The metrics of the models, side by side: a series a loaded model, for any number of sessions. An unloaded model's
// series end. Threading: Collect from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/sessions/models/model_table.h"

namespace aaren::metrics {

class ModelMetrics final : public prometheus::Collectable {
 public:
  explicit ModelMetrics(const models::ModelTable& models) : models_(models) {}  // `models` outlives the metrics

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const models::ModelTable& models_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_MODEL_METRICS_H_
