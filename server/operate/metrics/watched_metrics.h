#ifndef AAREN_SERVER_OPERATE_METRICS_WATCHED_METRICS_H_
#define AAREN_SERVER_OPERATE_METRICS_WATCHED_METRICS_H_

// The metrics of single sessions, named by an operator for a time (server/sessions/watch/). Sessions and
// channels are few; without a watched session there is no series. Threading: Collect from any
// thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/watch/watched_sessions.h"

namespace aaren::metrics {

class WatchedMetrics final : public prometheus::Collectable {
 public:
  // Both arguments outlive the metrics.
  explicit WatchedMetrics(watch::WatchedSessions& watched, const session::Clock& clock = session::Clock::System())
      : watched_(watched), clock_(clock) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  watch::WatchedSessions& watched_;
  const session::Clock& clock_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_WATCHED_METRICS_H_
