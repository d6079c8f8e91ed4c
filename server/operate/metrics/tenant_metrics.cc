#include "server/operate/metrics/tenant_metrics.h"

#include <array>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {

using identity::Account;

namespace {

using Limits = std::array<uint64_t, Account::kLimits.size()>;

// The numbers of one tenant, or of many together.
struct Row {
  std::string tenant;
  uint64_t sessions = 0, streams = 0, tokens = 0, stored_bytes = 0;
  Limits limited = {}, limits = {};  // in order of kLimits; many together have no limits

  void Add(const Account& account) {
    sessions += account.sessions.value();
    streams += account.streams.value();
    tokens += account.tokens_answered();
    stored_bytes += account.stored_bytes.value();
    for (size_t i = 0; i < limited.size(); ++i) limited[i] += account.limited(static_cast<Account::Limit>(i));
  }
};

Row RowOf(const Account& account) {
  const identity::TenantLimits most = account.limits();
  Row row{.tenant = account.tenant(),
          .limits = {most.sessions, most.streams, most.tokens_per_second, most.unary_per_second, most.stored_bytes}};
  row.Add(account);
  return row;
}

// A row's tenant is chosen by order of arrival, not by the number of earlier tenants now in the list: a counter moving
// from one row to another leaps in both. Only the list moves a tenant out of the shared row, by naming the tenant.
std::vector<Row> RowsOf(const identity::Callers& callers) {
  std::vector<Row> rows;
  const std::vector<const Account*> listed = callers.listed_accounts();
  for (const Account* account : listed) rows.push_back(RowOf(*account));
  // A tenant may be in the list and in tokens: one account, and one row.
  const absl::flat_hash_set<const Account*> is_listed(listed.begin(), listed.end());
  const std::vector<const Account*> of_tokens = callers.token_accounts();
  Row others{.tenant = identity::Accounts::kOthers};
  for (size_t i = 0; i < of_tokens.size(); ++i) {
    if (is_listed.contains(of_tokens[i])) continue;
    if (i < TenantMetrics::kMostUnlisted) {
      rows.push_back(RowOf(*of_tokens[i]));
    } else {
      others.Add(*of_tokens[i]);
    }
  }
  if (of_tokens.size() > TenantMetrics::kMostUnlisted) rows.push_back(others);
  return rows;
}

}  // namespace

std::vector<prometheus::MetricFamily> TenantMetrics::Collect() const {
  Family sessions = Gauges("aaren_tenant_sessions", "Sessions that streams of the tenant have open.");
  Family streams = Gauges("aaren_tenant_streams", "Streams of the tenant that are open.");
  Family tokens = Counters("aaren_tenant_tokens_total", "Tokens of the tenant that were answered.");
  Family stored = Gauges("aaren_tenant_stored_bytes",
                         "What the tenant has in the store, as last counted; of tenants that have a limit for it.");
  Family limited = Counters("aaren_tenant_limited_total",
                            "What was refused the tenant, or of its tokens had to wait, by the limit that it was for.");
  Family limits = Gauges("aaren_tenant_limit", "The tenant's limits; those that it does not have are left out.");
  for (const Row& row : RowsOf(callers_)) {
    sessions.Add({{"tenant", row.tenant}}, static_cast<double>(row.sessions));
    streams.Add({{"tenant", row.tenant}}, static_cast<double>(row.streams));
    tokens.Add({{"tenant", row.tenant}}, static_cast<double>(row.tokens));
    // Bytes are counted for tenants with this limit only, and a gauge of 0 would be false for the rest.
    if (row.limits[static_cast<size_t>(Account::Limit::kStored)] > 0) {
      stored.Add({{"tenant", row.tenant}}, static_cast<double>(row.stored_bytes));
    }
    for (size_t i = 0; i < row.limits.size(); ++i) {
      const std::string name(Account::kLimits[i]);
      limited.Add({{"tenant", row.tenant}, {"limit", name}}, static_cast<double>(row.limited[i]));
      // 0 means no limit, and a gauge of 0 would say the opposite.
      if (row.limits[i] > 0) limits.Add({{"tenant", row.tenant}, {"limit", name}}, static_cast<double>(row.limits[i]));
    }
  }
  return {sessions.Take(), streams.Take(), tokens.Take(), stored.Take(), limited.Take(), limits.Take()};
}

}  // namespace aaren::metrics
