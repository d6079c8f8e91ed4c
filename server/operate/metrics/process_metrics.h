#ifndef AAREN_SERVER_OPERATE_METRICS_PROCESS_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_PROCESS_METRICS_H_

// The process_* metrics of every Prometheus client library, read from /proc/self at each scrape. An unreadable value is
// left out. Threading: Collect from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace aaren::metrics {

class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_PROCESS_METRICS_H_
