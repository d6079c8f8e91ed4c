#ifndef AAREN_SERVER_METRICS_WATCHED_METRICS_H_
#define AAREN_SERVER_METRICS_WATCHED_METRICS_H_

// What Prometheus sees of single sessions: those that an operator has named, for as long as he has (server/watch/).
// They are few, and so are their channels; of a server where none is watched there is no series. Threading: Collect
// from any thread.

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/session/clock.h"
#include "server/watch/watched_sessions.h"

namespace aaren::metrics {

class WatchedMetrics final : public prometheus::Collectable {
 public:
  // Both outlive this.
  explicit WatchedMetrics(watch::WatchedSessions& watched, const session::Clock& clock = session::Clock::System())
      : watched_(watched), clock_(clock) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  watch::WatchedSessions& watched_;
  const session::Clock& clock_;
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_METRICS_WATCHED_METRICS_H_
