#include "server/program/operator_addresses.h"

#include <utility>
#include <vector>

#include "server/operate/metrics/connection_metrics.h"
#include "server/operate/metrics/model_metrics.h"
#include "server/operate/metrics/process_metrics.h"
#include "server/operate/metrics/shard_metrics.h"
#include "server/operate/metrics/store_metrics.h"
#include "server/operate/metrics/tenant_metrics.h"
#include "server/operate/metrics/trace_metrics.h"
#include "server/operate/metrics/watched_metrics.h"

namespace aaren::program {
namespace {

std::vector<std::shared_ptr<prometheus::Collectable>> Metrics(const OperatorAddresses::Sources& of) {
  const rpc::Server& server = of.server;
  std::vector<std::shared_ptr<prometheus::Collectable>> metrics = {
      std::make_shared<metrics::ShardMetrics>(server.shard_counters(), server.stream_counters(), of.options,
                                              [&server] { return server.transit_bytes(); }),
      std::make_shared<metrics::ModelMetrics>(of.models),
      std::make_shared<metrics::ConnectionMetrics>(server.connection_counters()),
      std::make_shared<metrics::StoreMetrics>(of.store, server.store_health()),
      std::make_shared<metrics::ProcessMetrics>(),
      std::make_shared<metrics::WatchedMetrics>(server.watched())};
  if (of.tracing != nullptr) {
    metrics.push_back(std::make_shared<metrics::TraceMetrics>(server.trace_counters(), of.tracing->exporter()));
  }
  // Without callers everybody is of one tenant.
  if (of.options.callers != nullptr) metrics.push_back(std::make_shared<metrics::TenantMetrics>(*of.options.callers));
  return metrics;
}

}  // namespace

absl::StatusOr<OperatorAddresses> OperatorAddresses::Start(const Sources& sources) {
  OperatorAddresses addresses;
  if (!sources.config.metrics_listen().empty()) {
    auto metrics = metrics::Exposition::Start(sources.config.metrics_listen(), Metrics(sources));
    if (!metrics.ok()) return metrics.status();
    addresses.metrics_ = *std::move(metrics);
  }
  if (!sources.config.admin_address().empty()) {
    auto admin = admin::AdminServer::Start(
        {.credentials = sources.security.credentials, .callers = sources.security.callers.get()}, sources.config,
        sources.server, sources.models);
    if (!admin.ok()) return admin.status();
    addresses.admin_ = *std::move(admin);
  }
  return addresses;
}

std::string OperatorAddresses::metrics() const { return metrics_ == nullptr ? "none" : metrics_->address(); }
std::string OperatorAddresses::admin() const { return admin_ == nullptr ? "" : admin_->address(); }

void OperatorAddresses::StopAdmin() {
  if (admin_ != nullptr) admin_->Stop();
}

}  // namespace aaren::program
