#include "server/operate/metrics/store_metrics.h"

#include <limits>

#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {
namespace {

double Number(const counters::Counter& counter) { return static_cast<double>(counter.value()); }

void Fill(const counters::Histogram<counters::kLatencyBounds.size()>& from, prometheus::ClientMetric::Histogram& to) {
  for (size_t bucket = 0; bucket <= counters::kLatencyBounds.size(); ++bucket) {
    // Prometheus' buckets contain all smaller buckets; the counters' buckets are apart.
    to.sample_count += from.count(bucket);
    const bool last = bucket == counters::kLatencyBounds.size();
    to.bucket.push_back(
        {to.sample_count, last ? std::numeric_limits<double>::infinity() : counters::kLatencyBounds[bucket]});
  }
  to.sample_sum = from.sum();
}

}  // namespace

std::vector<prometheus::MetricFamily> StoreMetrics::Collect() const {
  const std::string store = store_.name();
  const store::StoreCounters& counters = store_.counters();
  Family under_way = Gauges("aaren_store_calls", "Calls of the store that are under way.");
  Family calls = Counters("aaren_store_calls_total", "Calls of the store, by what became of them.");
  Family seconds("aaren_store_seconds", "From a call of the store to its answer.", prometheus::MetricType::Histogram);
  for (size_t i = 0; i < store::StoreCounters::kOperations.size(); ++i) {
    const store::StoreCounters::Operation& operation = counters.operations[i];
    const std::string name = store::StoreCounters::kOperations[i];
    under_way.Add({{"store", store}, {"operation", name}}, Number(operation.under_way));
    calls.Add({{"store", store}, {"operation", name}, {"outcome", "done"}}, Number(operation.done));
    calls.Add({{"store", store}, {"operation", name}, {"outcome", "failed"}}, Number(operation.failed));
    Fill(operation.seconds, seconds.AddHistogram({{"store", store}, {"operation", name}}));
  }
  const auto one = [&store](Family family, double value) { return family.Add({{"store", store}}, value).Take(); };
  return {under_way.Take(),
          calls.Take(),
          seconds.Take(),
          one(Gauges("aaren_store_available", "Whether the store takes writes: 1, or 0 while it is away."),
              health_.available() ? 1 : 0),
          one(Counters("aaren_store_outages_total", "How often the store went away."), Number(health_.outages())),
          one(Counters("aaren_store_reconnects_total", "How often the store was connected to, or opened, again."),
              static_cast<double>(store_.reconnects())),
          one(Counters("aaren_store_saved_bytes_total", "Bytes of rows that were given to the store."),
              Number(counters.saved_bytes))};
}

}  // namespace aaren::metrics
