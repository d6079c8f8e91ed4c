#ifndef AAREN_TESTS_E2E_ORACLE_ACCOUNT_H_
#define AAREN_TESTS_E2E_ORACLE_ACCOUNT_H_

// An Account collects the notes of all witnesses: figures, and the first broken promise. Durations are nanoseconds.
// Threading: any thread.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/load/duration_histogram.h"

namespace aaren::oracle {

// Nanoseconds of a monotonic clock.
int64_t Now();

// A broken promise of the server or of the client library.
struct Breach {
  std::string what;  // names the session and the token
  // For a forecast with unexpected bits: its session and seq, and the received values.
  size_t session = 0;
  uint64_t seq = 0;
  std::vector<float> came = {};
};

struct Figures {
  uint64_t forecasts = 0;
  uint64_t reopened = 0;    // sessions opened again, each time counted
  uint64_t replayed = 0;    // tokens with delivered forecasts, folded again after a break
  int64_t longest_gap = 0;  // between two forecasts of one session
  std::string gap_session = {};
  client::DurationHistogram latency = {};  // from a token's due time to its forecast
};

class Account {
 public:
  void Forecast(int64_t latency) ABSL_LOCKS_EXCLUDED(mutex_);
  void Gap(const std::string& session, int64_t gap) ABSL_LOCKS_EXCLUDED(mutex_);
  void Reopened(uint64_t replayed) ABSL_LOCKS_EXCLUDED(mutex_);

  // Only the first is kept.
  void Break(Breach breach) ABSL_LOCKS_EXCLUDED(mutex_);
  bool broken() const { return broken_; }
  std::optional<Breach> breach() const ABSL_LOCKS_EXCLUDED(mutex_);

  Figures figures() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Latencies since the call before.
  client::DurationHistogram TakeRecent() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::atomic<bool> broken_{false};
  mutable absl::Mutex mutex_;
  std::optional<Breach> breach_ ABSL_GUARDED_BY(mutex_);
  Figures figures_ ABSL_GUARDED_BY(mutex_);
  client::DurationHistogram recent_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_ACCOUNT_H_
