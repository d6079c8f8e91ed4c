#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_TABLE_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_TABLE_H_

// A StreamTable has the open streams of a shard by number, and counts the streams of each connection. Numbers grow with
// each stream: the oldest stream has the least. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"

namespace aaren::rpc {

class Stream;

class StreamTable {
 public:
  using Streams = absl::btree_map<uint64_t, Stream*>;

  // The number of a new stream of the connection named `peer`, from 1 on.
  uint64_t Add(Stream& stream, const std::string& peer);

  // REQUIRES: Add gave the number, for the same peer.
  void Remove(uint64_t number, const std::string& peer);

  // False if the connection has twice as many streams as HTTP/2's settings allow. gRPC keeps to the settings once the
  // client has confirmed the settings, and the server may not know yet that some streams have ended.
  bool MayHaveMore(const std::string& peer) const;

  const Streams& streams() const { return streams_; }
  uint64_t last_number() const { return last_number_; }  // given to a stream

 private:
  Streams streams_;                                    // not owned: a stream deletes itself
  absl::flat_hash_map<std::string, size_t> of_peers_;  // how many streams each connection has
  uint64_t last_number_ = 0;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_TABLE_H_
