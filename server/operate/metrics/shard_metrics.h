#ifndef AAREN_SERVER_OPERATE_METRICS_SHARD_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_SHARD_METRICS_H_

// The metrics of the shards: their counters, summed over all shards at the moment of a scrape. A token's path pays
// nothing for metrics. Names follow Prometheus' habits: the prefix aaren_, base units, _total on counters.
//
// Threading: Collect from any thread.

#include <functional>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/net/rpc/server.h"
#include "server/net/rpc/streams/stream_counters.h"
#include "server/sessions/shard/shard_counters.h"

namespace aaren::metrics {

class ShardMetrics final : public prometheus::Collectable {
 public:
  // The counters outlive the metrics. `transit_bytes`: the memory of rows on their way; from any thread.
  ShardMetrics(std::vector<const shard::ShardCounters*> shards, std::vector<const rpc::StreamCounters*> streams,
               rpc::ServerOptions options, std::function<size_t()> transit_bytes)
      : shards_(std::move(shards)),
        streams_(std::move(streams)),
        options_(std::move(options)),
        transit_bytes_(std::move(transit_bytes)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::vector<const shard::ShardCounters*> shards_;
  const std::vector<const rpc::StreamCounters*> streams_;
  const rpc::ServerOptions options_;  // for the limits
  const std::function<size_t()> transit_bytes_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_SHARD_METRICS_H_
