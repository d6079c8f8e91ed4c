#ifndef AAREN_SERVER_NET_RPC_STREAMS_OUTGOING_H_
#define AAREN_SERVER_NET_RPC_STREAMS_OUTGOING_H_

// Outgoing is the way out of one stream: replies gathered in an outbox, and the write under way. gRPC allows one write
// at a time: replies made meanwhile leave merged in the next write. Bytes count as unread until gRPC has taken them.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/net/rpc/streams/outbox.h"
#include "server/net/rpc/streams/shared_bytes.h"
#include "server/net/rpc/streams/stream_line.h"

namespace aaren::rpc {

class Outgoing {
 public:
  // `to_flush`: the line of streams with something to write. All but the stream outlive this.
  Outgoing(Stream& stream, BufferPool& buffers, SharedBytes& unread, StreamLine& to_flush)
      : unread_(unread), to_flush_(to_flush), outbox_(buffers), place_(stream) {}
  ~Outgoing() { unread_.Give(unread()); }

  // Adds `content` as field `field` of a ServerItem, and asks for a Flush. Does nothing after Close.
  void Append(uint32_t field, const google::protobuf::MessageLite& content);

  // Asks for a Flush of the stream at the end of the round.
  void AskForFlush() { place_.Join(to_flush_); }

  // True if the shard may make more replies. One stream's unread replies may take half of the free bytes.
  bool HasRoom() const;

  // The next message to write. REQUIRES: no write is under way, and the outbox is not empty.
  grpc::ByteBuffer BeginWrite(absl::Time now);

  // The write is over: the number of bytes that gRPC has taken.
  size_t EndWrite();

  // Drops all replies that are not being written, and takes no more.
  void Close();

  bool has_replies() const { return !outbox_.empty(); }
  bool writing() const { return writing_bytes_ > 0; }
  absl::Time writing_since() const { return writing_since_; }  // REQUIRES: writing()
  size_t unread() const { return outbox_.bytes() + writing_bytes_; }

 private:
  SharedBytes& unread_;
  StreamLine& to_flush_;
  Outbox outbox_;
  StreamLine::Place place_;
  size_t writing_bytes_ = 0;  // zero: no write is under way
  absl::Time writing_since_;
  bool closed_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_OUTGOING_H_
