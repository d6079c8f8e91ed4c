#ifndef AAREN_SERVER_OPERATE_METRICS_TRACE_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_TRACE_METRICS_H_

// The metrics of traces: traced and skipped messages, sent and lost spans. Threading: Collect from any
// thread.

#include <utility>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/operate/trace/export/exporter.h"
#include "server/operate/trace/tracer.h"

namespace aaren::metrics {

class TraceMetrics final : public prometheus::Collectable {
 public:
  // `shards`, an element a shard, and `exporter` outlive the metrics.
  TraceMetrics(std::vector<const trace::TracerCounters*> shards, const trace::Exporter& exporter)
      : shards_(std::move(shards)), exporter_(exporter) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::vector<const trace::TracerCounters*> shards_;
  const trace::Exporter& exporter_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_TRACE_METRICS_H_
