#ifndef AAREN_CLIENT_LOAD_WIRE_H_
#define AAREN_CLIENT_LOAD_WIRE_H_

// The two hot messages of the protocol, written and read in the wire format itself. A load harness needs only the
// handle and the next_seq of a reply, and skips the forecasts without copying them. The rare items go through
// protobuf's own code. Threading: plain values.

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <vector>

#include "aaren/v1/stream.pb.h"
#include "absl/types/span.h"

namespace aaren::client {

// A ClientMessage being written, item by item.
class WireMessage {
 public:
  void AddTokens(uint32_t handle, uint64_t first_seq, absl::Span<const float> values, uint64_t delivered_seq);
  void Add(const v1::ClientItem& item);

  size_t size() const { return bytes_.size(); }
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  std::vector<uint8_t> bytes_;
};

class ReplyHandler {
 public:
  virtual ~ReplyHandler() = default;

  // Forecasts or Acked.
  virtual void OnProgress(uint32_t handle, uint64_t next_seq) = 0;

  // Any further item.
  virtual void OnItem(const v1::ServerItem& item) = 0;
};

// Hands the items of a ServerMessage to `handler`. False for a malformed message.
bool ReadReply(grpc::ByteBuffer& message, ReplyHandler& handler);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_WIRE_H_
