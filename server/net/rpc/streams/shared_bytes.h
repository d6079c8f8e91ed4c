#ifndef AAREN_SERVER_NET_RPC_STREAMS_SHARED_BYTES_H_
#define AAREN_SERVER_NET_RPC_STREAMS_SHARED_BYTES_H_

// SharedBytes are memory that the streams of a shard share. A stream may take half of the free bytes: the next stream
// always finds room. Threading: belongs to one shard; the level may be read by any thread.

#include <algorithm>
#include <cstddef>

#include "server/operate/counters/counter.h"

namespace aaren::rpc {

class SharedBytes {
 public:
  // `level`, where given, tells how many bytes are taken, and outlives this.
  explicit SharedBytes(size_t limit, counters::Counter* level = nullptr) : limit_(limit), level_(level) {}

  size_t taken() const { return taken_; }
  size_t limit() const { return limit_; }

  // The greatest share that a stream may take now.
  size_t half_of_free() const { return (limit_ - std::min(limit_, taken_)) / 2; }

  // Takes more than a fair share, too: the caller has asked before.
  void Take(size_t bytes) { Set(taken_ + bytes); }
  void Give(size_t bytes) { Set(taken_ - bytes); }

 private:
  void Set(size_t bytes) {
    taken_ = bytes;
    if (level_ != nullptr) level_->Set(bytes);
  }

  const size_t limit_;
  counters::Counter* const level_;
  size_t taken_ = 0;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_SHARED_BYTES_H_
