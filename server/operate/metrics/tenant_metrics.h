#ifndef AAREN_SERVER_OPERATE_METRICS_TENANT_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_TENANT_METRICS_H_

// The metrics of the tenants: by name the tenants in the list of callers, and the first kMostUnlisted named by tokens.
// The rest share the name "*": nobody makes labels without end.
//
// Threading: Collect from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "server/identity/callers.h"

namespace aaren::metrics {

class TenantMetrics final : public prometheus::Collectable {
 public:
  static constexpr size_t kMostUnlisted = 100;

  // `callers` outlives the metrics.
  explicit TenantMetrics(const identity::Callers& callers) : callers_(callers) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const identity::Callers& callers_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_TENANT_METRICS_H_
