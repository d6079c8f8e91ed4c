#ifndef AAREN_SERVER_OPERATE_METRICS_CONNECTION_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_CONNECTION_METRICS_H_

// The metrics of the connections. Threading: Collect from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/net/accept/acceptor.h"

namespace aaren::metrics {

class ConnectionMetrics final : public prometheus::Collectable {
 public:
  // `counters` outlives the metrics.
  explicit ConnectionMetrics(const accept::ConnectionCounters& counters) : counters_(counters) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const accept::ConnectionCounters& counters_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_CONNECTION_METRICS_H_
