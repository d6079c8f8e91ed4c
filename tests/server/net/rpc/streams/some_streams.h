#ifndef AAREN_TESTS_SERVER_NET_RPC_STREAMS_SOME_STREAMS_H_
#define AAREN_TESTS_SERVER_NET_RPC_STREAMS_SOME_STREAMS_H_

// SomeStreams are addresses in place of streams, for parts that hand streams on without a look inside.

#include <array>
#include <cstddef>
#include <cstdint>

#include "server/net/rpc/streams/stream_line.h"

namespace aaren::rpc {

class SomeStreams {
 public:
  Stream& operator[](size_t i) { return reinterpret_cast<Stream&>(places_[i]); }

  // The index of a stream; -1 for null.
  int IndexOf(const Stream* stream) const {
    return stream == nullptr ? -1 : static_cast<int>(reinterpret_cast<const int64_t*>(stream) - places_.data());
  }

 private:
  std::array<int64_t, 20> places_{};
};

}  // namespace aaren::rpc

#endif  // AAREN_TESTS_SERVER_NET_RPC_STREAMS_SOME_STREAMS_H_
