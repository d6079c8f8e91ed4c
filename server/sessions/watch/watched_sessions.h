#ifndef AAREN_SERVER_SESSIONS_WATCH_WATCHED_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_WATCH_WATCHED_SESSIONS_H_

// WatchedSessions keep the newest numbers of a few sessions; the metrics show each by name.
//
// A label for every session would make a dozen series a session, larger than the session itself. Hence an operator
// names the sessions to watch, for a time; kMost have room at once. The kept numbers are those of the session's stream
// on this server: the value, its surprise, the forecast of the next value, and the errors of forecasts and last values.
// A session need not be open when named.
//
// With no session watched, a shard pays one load for each piece of a session's tokens. Threading: any
// thread.

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/sessions/task/output.h"

namespace aaren::watch {

inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// A token of one channel.
struct Sighting {
  uint64_t seq = 0;
  uint32_t channel = 0;
  float value = kNone;       // NaN: missing
  float surprise = kNone;    // NaN: none was made
  task::Expected next = {};  // the forecast of the next value
};

// The numbers of a channel. A value is judged if its forecast and the value before are known.
struct WatchedChannel {
  uint64_t seq = 0;  // the newest token's
  float value = kNone, surprise = kNone;
  task::Expected next;
  uint64_t judged = 0;
  uint64_t outside = 0;         // judged values not within low .. high
  double error = 0;             // sum over the judged: how far the middle of the forecast was off
  double last_value_error = 0;  // the same for the value before
};

struct WatchedSession {
  std::string key;  // tenant, '/', id
  absl::Time end;
  uint64_t next_seq = 0;  // 0: no token came yet
  uint64_t tokens = 0;    // tokens received
  std::vector<WatchedChannel> channels;
};

class WatchedSessions {
 public:
  static constexpr size_t kMost = 16;
  static constexpr uint32_t kMostChannels = 8;  // the first channels of a session

  // Watches the session until `end`. A session already watched keeps its numbers. ResourceExhausted beyond kMost
  // sessions.
  absl::Status Watch(absl::string_view key, absl::Time now, absl::Time end) ABSL_LOCKS_EXCLUDED(mutex_);
  void Unwatch(absl::string_view key) ABSL_LOCKS_EXCLUDED(mutex_);

  // May be true for an unwatched session.
  bool Watches(absl::string_view key) const;

  // Takes tokens in order of seq; does nothing for an unwatched session.
  void Note(absl::string_view key, absl::Span<const Sighting> sightings) ABSL_LOCKS_EXCLUDED(mutex_);

  // The watched sessions in order of key. Forgets sessions whose end has come.
  std::vector<WatchedSession> List(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Filter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<uint64_t> filter_{0};  // a bit for the hash of each key
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, WatchedSession> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::watch

#endif  // AAREN_SERVER_SESSIONS_WATCH_WATCHED_SESSIONS_H_
