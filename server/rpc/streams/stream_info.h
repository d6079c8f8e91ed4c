#ifndef AAREN_SERVER_RPC_STREAMS_STREAM_INFO_H_
#define AAREN_SERVER_RPC_STREAMS_STREAM_INFO_H_

// A StreamInfo is what an operator is told of one open stream. Threading: a plain value.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "server/identity/caller.h"
#include "server/shard/shard.h"

namespace aaren::rpc {

struct StreamInfo {
  uint64_t number = 0;    // of its shard's streams, by age, from 1 on
  std::string peer = {};  // HOST:PORT
  std::string tenant = {};
  identity::Role role = identity::Role::kStream;
  absl::Duration age = {};
  shard::StreamUse use = {};
  size_t unread_bytes = 0;           // of replies that its client has not taken
  absl::Duration unread_since = {};  // how long the oldest of them waits for its client; zero: none does
  bool reading = false;              // whether its next message is waited for; otherwise the one before has no room
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAMS_STREAM_INFO_H_
