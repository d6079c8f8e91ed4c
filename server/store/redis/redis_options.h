#ifndef AAREN_SERVER_STORE_REDIS_REDIS_OPTIONS_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_OPTIONS_H_

// The address of the Redis, and the way to talk to it. Threading: plain values.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/machine/address/address.h"
#include "server/store/redis/redis_tls.h"

namespace aaren::store {

struct RedisOptions {
  std::vector<address::Address> addresses;  // tried in turn until one is an answering master
  std::string sentinel;  // a master's name: the addresses then belong to Sentinels, and Sentinels know the master
  RedisTlsFiles tls;
  std::string password_file;      // its first line is the password; empty: none. Read anew for each connection
  std::string prefix = "aaren:";  // the beginning of all keys
  absl::Duration timeout = absl::Seconds(2);  // a Redis silent for this long is left
  absl::Duration start = absl::Seconds(10);   // for the first connection
};

// "HOST:PORT[,HOST:PORT…]". InvalidArgument naming the wrong address.
absl::StatusOr<std::vector<address::Address>> ParseRedisAddresses(absl::string_view text);

// InvalidArgument naming the wrong option.
absl::Status CheckRedisOptions(const RedisOptions& options);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_OPTIONS_H_
