#ifndef AAREN_SERVER_STORE_SESSION_POINT_H_
#define AAREN_SERVER_STORE_SESSION_POINT_H_

// Facts of a session that travel everywhere: the origin of its rows, its position, and the holding Open. Threading:
// plain values.

#include <cstdint>
#include <string>

#include "server/store/token_clock.h"

namespace aaren::store {

// The makers of the rows. Another server can continue the rows only with equal values.
struct SessionOrigin {
  std::string model;  // name:version
  std::string package_digest;
  std::string tier;
  uint32_t numerics_version = 0;
  uint32_t channels = 1;
};

// After `seq` tokens.
struct SessionPoint {
  uint64_t seq = 0;
  TokenClock clock;
};

// An Open of a writer, numbered in rising order. Writer 0: unknown.
struct Attempt {
  // True if `latest` is a later Open of the same writer.
  bool IsBehind(const Attempt& latest) const {
    return writer != 0 && writer == latest.writer && number < latest.number;
  }

  uint64_t writer = 0;
  uint64_t number = 0;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_SESSION_POINT_H_
