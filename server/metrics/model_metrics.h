#ifndef AAREN_SERVER_METRICS_MODEL_METRICS_H_
#define AAREN_SERVER_METRICS_MODEL_METRICS_H_

// What Prometheus sees of the models, side by side: as many series as models are loaded, for any number of sessions.
// Those of a model that is unloaded end. Threading: Collect from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/models/model_table.h"

namespace aaren::metrics {

class ModelMetrics final : public prometheus::Collectable {
 public:
  explicit ModelMetrics(const models::ModelTable& models) : models_(models) {}  // outlives this

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const models::ModelTable& models_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_METRICS_MODEL_METRICS_H_
