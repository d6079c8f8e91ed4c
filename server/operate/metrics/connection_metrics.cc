#include "server/operate/metrics/connection_metrics.h"

#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {

std::vector<prometheus::MetricFamily> ConnectionMetrics::Collect() const {
  const auto number = [](const counters::Counter& counter) { return static_cast<double>(counter.value()); };
  return {Gauges("aaren_connections", "Connections that are open.").Add({}, number(counters_.open)).Take(),
          Counters("aaren_connections_total", "Connections that came, by what became of them.")
              .Add({{"outcome", "accepted"}}, number(counters_.accepted))
              .Add({{"outcome", "refused"}}, number(counters_.refused))
              .Add({{"outcome", "ended"}}, number(counters_.ended))
              .Take(),
          Counters("aaren_shard_reliefs_total", "Times that gRPC kept a shard's thread, and another went on.")
              .Add({}, number(counters_.reliefs))
              .Take()};
}

}  // namespace aaren::metrics
