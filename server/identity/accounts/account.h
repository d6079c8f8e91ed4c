#ifndef AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNT_H_
#define AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNT_H_

// An Account counts the tokens, streams and sessions of one tenant on this server, and holds the tenant's limits. A
// call looks the account up at its beginning, and keeps it: an account lasts as long as the server. A changed list of
// callers changes the limits.
//
// Threading: safe. All shards share the numbers of calls, streams and sessions. Each shard counts tokens for itself
// (AddCounter), without a locked instruction.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/identity/accounts/rate_limit.h"
#include "server/operate/counters/counter.h"

namespace aaren::identity {

// A tenant's line in the list of callers. 0: no limit.
struct TenantLimits {
  uint64_t weight = 1;             // share of an overloaded shard
  uint64_t sessions = 0;           // open on the tenant's streams
  uint64_t streams = 0;            // open at once
  uint64_t tokens_per_second = 0;  // times channels; beyond, streams are read later
  uint64_t unary_per_second = 0;   // calls
  uint64_t stored_bytes = 0;       // in the store; beyond, no new session
};

// A number of things and its limit.
class Tally {
 public:
  void SetLimit(uint64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  // Adds one, unless the limit is reached. Threads together never exceed the limit.
  bool TryTake() {
    uint64_t value = value_.load(std::memory_order_relaxed);
    do {
      if (limit() > 0 && value >= limit()) return false;
    } while (!value_.compare_exchange_weak(value, value + 1, std::memory_order_relaxed));
    return true;
  }
  void Add(uint64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  void Give(uint64_t n = 1) { value_.fetch_sub(n, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0}, limit_{0};
};

// A number counted elsewhere, and its limit.
class Level {
 public:
  void SetLimit(uint64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void Set(uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0}, limit_{0};
};

class Account {
 public:
  enum class Limit : uint8_t { kSessions, kStreams, kTokens, kUnary, kStored };
  static constexpr std::array<absl::string_view, 5> kLimits = {"sessions", "streams", "tokens_per_second",
                                                               "unary_per_second", "stored_bytes"};

  explicit Account(std::string tenant) : tenant_(std::move(tenant)) {}

  const std::string& tenant() const { return tenant_; }
  int64_t weight() const { return weight_.load(std::memory_order_relaxed); }
  void SetLimits(const TenantLimits& limits, int64_t now_ns = 0);  // `now_ns` as in RateLimit
  TenantLimits limits() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Something was refused, or for tokens had to wait, for the limit.
  void NoteLimited(Limit limit) { limited_[static_cast<size_t>(limit)].fetch_add(1, std::memory_order_relaxed); }
  uint64_t limited(Limit limit) const { return limited_[static_cast<size_t>(limit)].load(std::memory_order_relaxed); }

  // A counter for the tokens answered by one thread. The counter lasts as long as the account.
  counters::Counter& AddCounter() ABSL_LOCKS_EXCLUDED(mutex_);
  uint64_t tokens_answered() const ABSL_LOCKS_EXCLUDED(mutex_);  // by all threads

  Tally sessions, streams;
  RateLimit tokens, unary_calls;
  Level stored_bytes;  // by sessions/registrar/stored/stored_bytes.h; 0 without a limit

 private:
  const std::string tenant_;
  std::atomic<int64_t> weight_{1};
  std::array<std::atomic<uint64_t>, kLimits.size()> limited_{};
  mutable absl::Mutex mutex_;
  TenantLimits limits_ ABSL_GUARDED_BY(mutex_);
  std::deque<counters::Counter> answered_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ACCOUNTS_ACCOUNT_H_
