#include "server/metrics/store_metrics.h"

#include <limits>

#include "server/metrics/family.h"

namespace aaren::metrics {
namespace {

double Number(const Counter& counter) { return static_cast<double>(counter.value()); }

void Fill(const Histogram<kLatencyBounds.size()>& from, prometheus::ClientMetric::Histogram& to) {
  for (size_t bucket = 0; bucket <= kLatencyBounds.size(); ++bucket) {
    to.sample_count += from.count(bucket);
    const bool last = bucket == kLatencyBounds.size();
    to.bucket.push_back({to.sample_count, last ? std::numeric_limits<double>::infinity() : kLatencyBounds[bucket]});
  }
  to.sample_sum = from.sum();
}

}  // namespace

std::vector<prometheus::MetricFamily> StoreMetrics::Collect() const {
  Family under_way = Gauges("aaren_store_calls", "Calls of the store that are under way.");
  Family calls = Counters("aaren_store_calls_total", "Calls of the store, by what became of them.");
  Family seconds("aaren_store_seconds", "From a call of the store to its answer.", prometheus::MetricType::Histogram);
  for (size_t i = 0; i < StoreCounters::kOperations.size(); ++i) {
    const StoreCounters::Operation& operation = counters_.operations[i];
    const std::string name = StoreCounters::kOperations[i];
    under_way.Add({{"store", store_}, {"operation", name}}, Number(operation.under_way));
    calls.Add({{"store", store_}, {"operation", name}, {"outcome", "done"}}, Number(operation.done));
    calls.Add({{"store", store_}, {"operation", name}, {"outcome", "failed"}}, Number(operation.failed));
    Fill(operation.seconds, seconds.AddHistogram({{"store", store_}, {"operation", name}}));
  }
  return {under_way.Take(), calls.Take(), seconds.Take(),
          Counters("aaren_store_saved_bytes_total", "Bytes of rows that were given to the store.")
              .Add({{"store", store_}}, Number(counters_.saved_bytes))
              .Take()};
}

}  // namespace aaren::metrics
