#ifndef AAREN_SERVER_STORE_REDIS_REDIS_OPTIONS_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_OPTIONS_H_

// Where the Redis is, and how it is spoken to. Threading: plain values.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/address/address.h"

namespace aaren::store {

struct RedisOptions {
  std::vector<address::Address> addresses;  // tried in turn until one is a master that answers
  std::string password_file;      // its first line is the password; empty: none. Read anew for each connection
  std::string prefix = "aaren:";  // all keys begin with it
  absl::Duration timeout = absl::Seconds(2);  // a Redis that says nothing for so long is left
  absl::Duration start = absl::Seconds(10);   // the first connection must be there within
};

// "HOST:PORT[,HOST:PORT…]". InvalidArgument naming the one that is no address.
absl::StatusOr<std::vector<address::Address>> ParseRedisAddresses(absl::string_view text);

// InvalidArgument naming what cannot be.
absl::Status CheckRedisOptions(const RedisOptions& options);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_OPTIONS_H_
