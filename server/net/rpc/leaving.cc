#include "server/net/rpc/leaving.h"

#include <algorithm>

namespace aaren::rpc {
namespace {

constexpr absl::Duration kServeOn = absl::Seconds(2);      // at most, after clients know
constexpr absl::Duration kQuiet = absl::Milliseconds(50);  // without an answer: a slow client does not read any more

}  // namespace

absl::Duration Leaving::Begin(absl::Duration grace, absl::Time now) {
  const absl::Duration serve_on = std::min(kServeOn, grace / 4);
  phase_ = Phase::kDraining;
  stop_reading_ = now + serve_on;
  save_ = now + grace / 2;
  cut_off_ = now + grace * 0.9;
  end_connections_ = now + grace * 0.95;
  return serve_on;
}

// Once no token waits, or none was answered for kQuiet, the sessions are saved whatever else clients ask for.
Leaving::Act Leaving::Next(const Signs& signs, absl::Time now) {
  if (signs.stepped) quiet_ = now + kQuiet;
  if (begun() && phase_ < Phase::kClosing && now >= cut_off_) {
    all_saved_ = phase_ == Phase::kSaving && !signs.saving;
    return Enter(Phase::kClosing, Act::kEndStreams);
  }
  switch (phase_) {
    case Phase::kDraining:
      if (signs.has_streams && now < stop_reading_) return Act::kNothing;
      quiet_ = now + kQuiet;
      return Enter(Phase::kAnswering, Act::kStopReading);
    case Phase::kAnswering:
      if ((signs.stepped || signs.tokens_wait) && now < std::min(quiet_, save_)) return Act::kNothing;
      return Enter(Phase::kSaving, Act::kSaveAll);
    case Phase::kSaving:
      if (signs.stepped || signs.saving) return Act::kNothing;
      return Enter(Phase::kClosing, Act::kEndStreams);
    case Phase::kClosing:
      return Close(signs, now);
    case Phase::kServing:
    case Phase::kClosed:
    case Phase::kStopped:
      return Act::kNothing;
  }
  return Act::kNothing;
}

Leaving::Act Leaving::Enter(Phase phase, Act act) {
  phase_ = phase;
  return act;
}

// A cut off stream is over only when gRPC has written the begun bytes. Some clients take nothing: their connections
// end.
Leaving::Act Leaving::Close(const Signs& signs, absl::Time now) {
  if (!signs.has_streams) return Enter(Phase::kClosed, Act::kTellClosed);
  if (now >= end_connections_) {
    end_connections_ = absl::InfiniteFuture();
    return Act::kEndConnections;
  }
  return now >= cut_off_ ? Act::kCutOffStreams : Act::kNothing;
}

}  // namespace aaren::rpc
