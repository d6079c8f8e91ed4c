#ifndef AAREN_SERVER_STORE_STORE_HEALTH_H_
#define AAREN_SERVER_STORE_STORE_HEALTH_H_

// A StoreHealth tells whether the store works, as far as answers and silence show (PunctualStore). The store is away
// from an answer Unavailable on, until a write is done or refused for another reason. Reads say less: a full disk can
// still be read.
//
// Threading: notes are made by one thread at a time, the rest by any.

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/operate/counters/counter.h"
#include "server/store/store.h"

namespace aaren::store {

class StoreHealth {
 public:
  // An answer of the store, at `now`.
  void Note(const absl::Status& write, absl::Time now) {
    if (absl::IsUnavailable(write)) return Leave(now);
    away_since_.store(kHere, std::memory_order_relaxed);
  }
  void Note(const WriteResult& result, absl::Time now) { Note(result.status, now); }
  void Note(const std::vector<WriteResult>& results, absl::Time now) {
    for (const WriteResult& result : results) Note(result, now);
  }
  template <typename T>
  void Note(const absl::StatusOr<T>& read, absl::Time now) {
    if (absl::IsUnavailable(read.status())) Leave(now);
  }

  // A call made at `since` has waited in vain.
  void NoteSilence(absl::Time since) { Leave(since); }

  bool available() const { return away_since_.load(std::memory_order_relaxed) == kHere; }

  // How long the store has been away; zero while the store works.
  absl::Duration AwayFor(absl::Time now) const {
    const int64_t since = away_since_.load(std::memory_order_relaxed);
    return since == kHere ? absl::ZeroDuration() : now - absl::FromUnixNanos(since);
  }

  const counters::Counter& outages() const { return outages_; }  // outages begun

 private:
  static constexpr int64_t kHere = 0;

  void Leave(absl::Time now) {
    if (!available()) return;
    away_since_.store(absl::ToUnixNanos(now), std::memory_order_relaxed);
    outages_.Add(1);
  }

  std::atomic<int64_t> away_since_{kHere};  // by the server's clock, since 1970
  counters::Counter outages_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_STORE_HEALTH_H_
