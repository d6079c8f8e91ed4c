#ifndef AAREN_SERVER_WATCH_WATCHED_SESSIONS_H_
#define AAREN_SERVER_WATCH_WATCHED_SESSIONS_H_

// The WatchedSessions keep the newest numbers of a few sessions, for the metrics to tell of each by itself.
//
// A label for every session would make a dozen series of each, which take more than the session itself. So whoever
// wants to see one names it, for a time, and kMost have room at once. What is kept is what its stream brings and gets
// on this server: the value, its surprise, the forecast of the next one, and how far forecasts and last values were
// off. A session need not be here when it is named.
//
// While nobody is watched it costs a shard one load for each piece of a session's tokens.
// Threading: any thread.

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
#include "server/task/output.h"

namespace aaren::watch {

inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// A token of one channel.
struct Sighting {
  uint64_t seq = 0;
  uint32_t channel = 0;
  float value = kNone;       // NaN: it is missing
  float surprise = kNone;    // NaN: none was made
  task::Expected next = {};  // what is expected of the next value
};

// What is known of a channel. Values are judged whose forecast, and the value before, are known.
struct WatchedChannel {
  uint64_t seq = 0;  // of the newest token
  float value = kNone, surprise = kNone;
  task::Expected next;
  uint64_t judged = 0;
  uint64_t outside = 0;         // of the judged: not within low .. high
  double error = 0;             // sum over the judged: how far the middle of the forecast was off
  double last_value_error = 0;  // likewise: the value before
};

struct WatchedSession {
  std::string key;  // tenant, '/', id
  absl::Time end;
  uint64_t next_seq = 0;  // 0: no token came yet
  uint64_t tokens = 0;    // that came
  std::vector<WatchedChannel> channels;
};

class WatchedSessions {
 public:
  static constexpr size_t kMost = 16;
  static constexpr uint32_t kMostChannels = 8;  // the first ones of a session; the others are not told of

  // Until `end`, also if it is watched already: its numbers go on. ResourceExhausted while kMost others are.
  absl::Status Watch(absl::string_view key, absl::Time now, absl::Time end) ABSL_LOCKS_EXCLUDED(mutex_);
  void Unwatch(absl::string_view key) ABSL_LOCKS_EXCLUDED(mutex_);

  // May be true of another.
  bool Watches(absl::string_view key) const;

  // In order of seq; nothing if it is not watched.
  void Note(absl::string_view key, absl::Span<const Sighting> sightings) ABSL_LOCKS_EXCLUDED(mutex_);

  // In order of key. Those whose end has come are forgotten.
  std::vector<WatchedSession> List(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Filter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<uint64_t> filter_{0};  // a bit for the hash of each key
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, WatchedSession> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::watch

#endif  // AAREN_SERVER_WATCH_WATCHED_SESSIONS_H_
