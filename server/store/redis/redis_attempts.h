#ifndef AAREN_SERVER_STORE_REDIS_REDIS_ATTEMPTS_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_ATTEMPTS_H_

// RedisAttempts say to which address the next connection goes, and when. The addresses are tried one after another: a
// round. A pause follows each round in vain and each connection that broke. Pauses grow until the Redis replies.
//
// With Sentinels the addresses are the Sentinels', and a Sentinel names the master's address. After a failure the link
// asks again.
//
// Threading: belongs to one thread.

#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/machine/address/address.h"
#include "server/store/redis/redis_options.h"

namespace aaren::store {

// True for an error that no waiting mends: an operator must change the settings or the Redis.
bool IsPermanent(const absl::Status& status);

// The error `why` with the address before the text.
absl::Status WithAddress(const address::Address& address, const absl::Status& why);

class RedisAttempts {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `options` outlives this.
  explicit RedisAttempts(const RedisOptions& options);

  // Where the next connection goes, or this connection went: a Redis, or a Sentinel if asks_sentinel().
  const address::Address& address() const { return master_ ? *master_ : options_.addresses[at_]; }
  bool asks_sentinel() const { return !options_.sentinel.empty() && !master_; }

  // No attempt before this time.
  Time next() const { return next_; }

  // Why no address worked in the last round; ok: an address may work.
  const absl::Status& down() const { return down_; }

  // A Sentinel has named the master.
  void OnMaster(address::Address master) { master_ = std::move(master); }

  // The greeting succeeded.
  void OnConnected();

  // Only a reply ends the growth of the pauses: a Redis may take the greeting and break again and again.
  void OnReply() { pause_ = kFirstPause; }

  // A connection broke after the greeting.
  void OnBroken(Time now);

  // An attempt failed. True at the end of a round: down() has the reasons of all addresses, and is logged once.
  bool OnFailed(const absl::Status& why, Time now);

 private:
  static constexpr std::chrono::milliseconds kFirstPause{10}, kLongestPause{2000};

  void Pause(Time now);

  const RedisOptions& options_;
  std::mt19937_64 random_;
  std::optional<address::Address> master_;  // the Redis, as a Sentinel says
  size_t at_ = 0, tried_ = 0;               // addresses: the current one, how many in vain
  absl::Status round_;                      // why the addresses of this round do not work
  absl::Status down_;
  std::string last_log_;
  std::chrono::milliseconds pause_ = kFirstPause;
  Time next_{};
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_ATTEMPTS_H_
