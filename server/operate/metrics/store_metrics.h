#ifndef AAREN_SERVER_OPERATE_METRICS_STORE_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_STORE_METRICS_H_

// The metrics of the store. Threading: Collect from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/store/measured_store.h"
#include "server/store/store_health.h"

namespace aaren::metrics {

class StoreMetrics final : public prometheus::Collectable {
 public:
  // Both arguments outlive the metrics. The store's name is a label of every metric.
  StoreMetrics(const store::MeasuredStore& store, const store::StoreHealth& health) : store_(store), health_(health) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const store::MeasuredStore& store_;
  const store::StoreHealth& health_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_STORE_METRICS_H_
