#ifndef AAREN_SERVER_IDENTITY_ACCOUNTS_RATE_LIMIT_H_
#define AAREN_SERVER_IDENTITY_ACCOUNTS_RATE_LIMIT_H_

// A RateLimit is a token bucket: a number of things a second, and after a rest a second's worth at once. The bucket may
// be overdrawn, and callers wait until the debt is over. A reader of a message need not know beforehand how many things
// the message holds.
//
// The bucket is one time, the time when it will be full again: a charge moves the time on, and waiting lets it pass. No
// lock, and no thread has to fill the bucket.
//
// Threading: safe. `now_ns` is monotonic, from the same clock in all calls.

#include <atomic>
#include <cstdint>

namespace aaren::identity {

class RateLimit {
 public:
  // 0: no limit, the initial state. A debt at another rate is forgotten: hours owed at ten things a second would
  // outlast the limit.
  void Set(uint64_t per_second, int64_t now_ns = 0);

  bool limited() const { return cost_ns_.load(std::memory_order_relaxed) > 0; }

  // True if anything is left, even a part of one thing.
  bool Admits(int64_t now_ns) const { return WaitNs(now_ns) == 0; }

  // The time until Admits.
  int64_t WaitNs(int64_t now_ns) const;

  // Takes `things`, however much is left.
  void Charge(uint64_t things, int64_t now_ns);

  // Takes one thing if a whole one is left. WaitForOneNs is the time until then.
  bool TryTake(int64_t now_ns);
  int64_t WaitForOneNs(int64_t now_ns) const;

  // Gives back an unused thing of TryTake.
  void GiveBack();

 private:
  std::atomic<double> cost_ns_{0};   // the time for one thing
  std::atomic<int64_t> full_ns_{0};  // when the bucket is full again
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ACCOUNTS_RATE_LIMIT_H_
