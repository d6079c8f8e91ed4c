#ifndef AAREN_SERVER_NET_RPC_STREAMS_OUTBOX_H_
#define AAREN_SERVER_NET_RPC_STREAMS_OUTBOX_H_

// An Outbox holds a stream's unwritten replies, merged into as few messages as the size of a message allows. The memory
// comes from a pool of the shard: an idle stream holds none, and a busy stream does not allocate. Threading: a shard's
// thread only.

#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/message_lite.h"
#include "grpcpp/support/byte_buffer.h"

namespace aaren::rpc {

// Strings to fill, kept with the capacity: a few, and no string larger than kMaxBytes.
class BufferPool {
 public:
  std::string Take();
  void Give(std::string buffer);

 private:
  static constexpr size_t kMaxBuffers = 64;
  static constexpr size_t kMaxBytes = 256 << 10;
  std::vector<std::string> buffers_;
};

class Outbox {
 public:
  // A message is closed before growing beyond kMessageBytes, well below the clients' default limit of 4 MB. A single
  // item may be larger.
  static constexpr size_t kMessageBytes = 256 << 10;

  // `pool` outlives the Outbox.
  explicit Outbox(BufferPool& pool) : pool_(pool) {}
  ~Outbox() { Clear(); }

  // Adds an item: `content` as field `field` of ServerItem.
  void Append(uint32_t field, const google::protobuf::MessageLite& content);

  // The oldest message. REQUIRES: !empty().
  grpc::ByteBuffer Take();

  void Clear();
  bool empty() const { return bytes_ == 0; }
  size_t bytes() const { return bytes_; }

 private:
  BufferPool& pool_;
  std::vector<std::string> full_;  // closed messages, oldest first
  std::string open_;               // being filled
  size_t bytes_ = 0;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_OUTBOX_H_
