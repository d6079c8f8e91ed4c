#include "server/operate/metrics/trace_metrics.h"

#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {

std::vector<prometheus::MetricFamily> TraceMetrics::Collect() const {
  uint64_t sampled = 0, skipped = 0;
  for (const trace::TracerCounters* shard : shards_) {
    sampled += shard->sampled.value();
    skipped += shard->skipped.value();
  }
  return {Counters("aaren_traces_total", "Messages that were chosen to be traced, by whether they could be.")
              .Add({{"outcome", "traced"}}, static_cast<double>(sampled))
              .Add({{"outcome", "skipped"}}, static_cast<double>(skipped))
              .Take(),
          Counters("aaren_trace_spans_total", "Spans of traces, by whether the collector took them.")
              .Add({{"outcome", "sent"}}, static_cast<double>(exporter_.sent()))
              .Add({{"outcome", "dropped"}}, static_cast<double>(exporter_.dropped()))
              .Take()};
}

}  // namespace aaren::metrics
