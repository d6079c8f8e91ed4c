#ifndef AAREN_SERVER_OPERATE_METRICS_FORMAT_FAMILY_H_
#define AAREN_SERVER_OPERATE_METRICS_FORMAT_FAMILY_H_

// Short ways to write down Prometheus' metric families.

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "prometheus/metric_family.h"
#include "server/operate/counters/counter.h"

namespace aaren::metrics {

using Labels = std::initializer_list<std::pair<const char*, std::string>>;

class Family {
 public:
  Family(const char* name, const char* help, prometheus::MetricType type) : family_{name, help, type, {}} {}

  // A counter or a gauge, whichever the family is.
  Family& Add(Labels labels, double value) {
    prometheus::ClientMetric& metric = AddMetric(labels);
    if (family_.type == prometheus::MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    return *this;
  }

  // For a histogram's family.
  prometheus::ClientMetric::Histogram& AddHistogram(Labels labels = {}) { return AddMetric(labels).histogram; }

  prometheus::MetricFamily Take() { return std::move(family_); }

 private:
  prometheus::ClientMetric& AddMetric(Labels labels) {
    prometheus::ClientMetric& metric = family_.metric.emplace_back();
    for (const auto& [name, value] : labels) metric.label.push_back({name, value});
    return metric;
  }

  prometheus::MetricFamily family_;
};

inline Family Counters(const char* name, const char* help) {
  return Family(name, help, prometheus::MetricType::Counter);
}
inline Family Gauges(const char* name, const char* help) { return Family(name, help, prometheus::MetricType::Gauge); }

// Adds several histograms with equal bounds up to one.
template <size_t N>
void SumHistograms(const std::vector<const counters::Histogram<N>*>& parts, prometheus::ClientMetric::Histogram& out) {
  for (size_t bucket = 0; bucket <= N && !parts.empty(); ++bucket) {
    for (const auto* part : parts) out.sample_count += part->count(bucket);
    const double bound = bucket < N ? parts.front()->bounds()[bucket] : std::numeric_limits<double>::infinity();
    out.bucket.push_back({out.sample_count, bound});
  }
  for (const auto* part : parts) out.sample_sum += part->sum();
}

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_FORMAT_FAMILY_H_
