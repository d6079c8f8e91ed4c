#ifndef AAREN_SERVER_IDENTITY_ACCOUNTS_RATE_LIMIT_H_
#define AAREN_SERVER_IDENTITY_ACCOUNTS_RATE_LIMIT_H_

// A RateLimit is a token bucket: so many things a second, and after a rest a second's worth at once. It may be
// overdrawn, and what is owed is waited for. So whoever has begun to read a message need not know beforehand how much
// is in it.
//
// It is one time, that at which the bucket will be full again: a charge moves it on, and waiting lets it pass. No lock,
// and nobody has to fill anything.
//
// Threading: safe. `now_ns` is monotonic, and of the same clock in all calls.

#include <atomic>
#include <cstdint>

namespace aaren::identity {

class RateLimit {
 public:
  // 0: no limit, as at first. What was overdrawn at another rate is not owed any more: hours at ten things a second
  // would outlast the limit that they were owed for.
  void Set(uint64_t per_second, int64_t now_ns = 0);

  bool limited() const { return cost_ns_.load(std::memory_order_relaxed) > 0; }

  // Whether there is anything left, be it only a part of one.
  bool Admits(int64_t now_ns) const { return WaitNs(now_ns) == 0; }

  // How long until there is.
  int64_t WaitNs(int64_t now_ns) const;

  // Takes so many, whatever is left.
  void Charge(uint64_t things, int64_t now_ns);

  // Takes one if all of it is left. How long until it is.
  bool TryTake(int64_t now_ns);
  int64_t WaitForOneNs(int64_t now_ns) const;

  // What was taken by TryTake was not used.
  void GiveBack();

 private:
  std::atomic<double> cost_ns_{0};   // of one
  std::atomic<int64_t> full_ns_{0};  // when it is full again
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ACCOUNTS_RATE_LIMIT_H_
