#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_INFO_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_INFO_H_

// A StreamInfo tells an operator of one open stream. Threading: a plain value.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "server/identity/caller.h"
#include "server/sessions/shard/shard.h"

namespace aaren::rpc {

struct StreamInfo {
  uint64_t number = 0;    // counts the shard's streams by age, from 1 on
  std::string peer = {};  // HOST:PORT
  std::string tenant = {};
  identity::Role role = identity::Role::kStream;
  absl::Duration age = {};
  shard::StreamUse use = {};
  size_t unread_bytes = 0;           // replies that the client has not taken
  absl::Duration unread_since = {};  // how long the oldest reply waits for the client; zero: none waits
  bool reading = false;              // the next message is awaited; else the last message is being handled
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_INFO_H_
