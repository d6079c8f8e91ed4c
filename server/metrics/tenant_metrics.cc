#include "server/metrics/tenant_metrics.h"

#include <string>

#include "server/metrics/family.h"

namespace aaren::metrics {

using identity::Account;

std::vector<prometheus::MetricFamily> TenantMetrics::Collect() const {
  Family sessions = Gauges("aaren_tenant_sessions", "Sessions that streams of the tenant have open.");
  Family streams = Gauges("aaren_tenant_streams", "Streams of the tenant that are open.");
  Family tokens = Counters("aaren_tenant_tokens_total", "Tokens of the tenant that were answered.");
  Family limited = Counters("aaren_tenant_limited_total",
                            "What was refused the tenant, or of its tokens had to wait, by the limit that it was for.");
  Family limits = Gauges("aaren_tenant_limit", "The tenant's limits; those that it does not have are left out.");
  for (const Account* account : callers_.accounts()) {
    const std::string& tenant = account->tenant();
    sessions.Add({{"tenant", tenant}}, static_cast<double>(account->sessions.value()));
    streams.Add({{"tenant", tenant}}, static_cast<double>(account->streams.value()));
    tokens.Add({{"tenant", tenant}}, static_cast<double>(account->tokens_answered()));
    const identity::TenantLimits most = account->limits();
    const std::array<uint64_t, Account::kLimits.size()> values = {most.sessions, most.streams, most.tokens_per_second,
                                                                  most.unary_per_second};
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string name(Account::kLimits[i]);
      limited.Add({{"tenant", tenant}, {"limit", name}},
                  static_cast<double>(account->limited(static_cast<Account::Limit>(i))));
      if (values[i] > 0) limits.Add({{"tenant", tenant}, {"limit", name}}, static_cast<double>(values[i]));
    }
  }
  return {sessions.Take(), streams.Take(), tokens.Take(), limited.Take(), limits.Take()};
}

}  // namespace aaren::metrics
