#ifndef AAREN_SERVER_STORE_SESSION_POINT_H_
#define AAREN_SERVER_STORE_SESSION_POINT_H_

// The facts of a session that travel everywhere: where its rows come from, where it stands, and by which Open it is
// held. Threading: plain values.

#include <cstdint>
#include <string>

#include "server/store/token_clock.h"

namespace aaren::store {

// What made the rows. Others can go on from them only if they are the same.
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

// Which of its writer's Opens it is: numbers of one writer rise. Writer 0: nobody says.
struct Attempt {
  // Whether `latest` is a later Open of the same writer.
  bool IsBehind(const Attempt& latest) const {
    return writer != 0 && writer == latest.writer && number < latest.number;
  }

  uint64_t writer = 0;
  uint64_t number = 0;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_SESSION_POINT_H_
