#ifndef AAREN_SERVER_METRICS_STORE_METRICS_H_
#define AAREN_SERVER_METRICS_STORE_METRICS_H_

// What Prometheus sees of the store. Threading: Collect from any thread.

#include <string>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/store/measured_store.h"

namespace aaren::metrics {

class StoreMetrics final : public prometheus::Collectable {
 public:
  // `counters` outlives this. `store`: its name, a label of every metric.
  StoreMetrics(std::string store, const StoreCounters& counters) : store_(std::move(store)), counters_(counters) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::string store_;
  const StoreCounters& counters_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_METRICS_STORE_METRICS_H_
