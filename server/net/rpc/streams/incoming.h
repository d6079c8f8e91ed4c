#ifndef AAREN_SERVER_NET_RPC_STREAMS_INCOMING_H_
#define AAREN_SERVER_NET_RPC_STREAMS_INCOMING_H_

// Incoming is the way in of one stream: the read under way, or else the message that has come, with the items still to
// be handled, and the stream's turns to handle some. A stream reads its next message once the last one is handled to
// its end, so a client makes the server hold one message.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "server/net/rpc/messages/envelope.h"
#include "server/net/rpc/streams/shared_bytes.h"
#include "server/net/rpc/streams/stream_line.h"
#include "server/net/rpc/streams/waiting_streams.h"

namespace aaren::rpc {

class Incoming {
 public:
  // Messages are counted in `bytes`; turns come from `line`, or from `waiting` while the shard admits no item. All
  // outlive this.
  Incoming(Stream& stream, SharedBytes& bytes, StreamLine& line, WaitingStreams& waiting)
      : bytes_(bytes), line_(line), waiting_(waiting), turn_(stream), offer_(stream) {}

  // Begins a read into the returned buffer, EndRead ends the read. REQUIRES: no message is here.
  grpc::ByteBuffer* BeginRead();
  void EndRead() { state_ = State::kIdle; }

  // The client sends no more.
  void Close() { state_ = State::kClosed; }

  // Makes the read message the one to be handled. ResourceExhausted: the message is larger than `most`.
  // InvalidArgument: no memory holds the message in one piece. The message is dropped in both cases.
  absl::Status Take(size_t most);

  // Begins to handle the taken message. False if all streams' messages would hold too much; the message is dropped.
  bool BeginMessage();

  // Moves to the next item, or stays at an item that was put back.
  ItemReader::Result NextItem();
  uint32_t field() const { return items_.field(); }
  std::string_view content() const { return items_.content(); }

  // The item could not be handled yet: NextItem gives the item again.
  void PutBack() { state_ = State::kItemWaits; }

  // Drops the message with all items not handled. Does nothing without a message.
  void Drop();

  // Asks for a turn if there are items to handle: at the end of the line, or once the shard may admit an item of the
  // tenant with `account`.
  void AskForTurn();
  void WaitForShard(const identity::Account* account) { waiting_.Add(offer_, account); }

  bool reading() const { return state_ == State::kReading; }
  bool handling() const { return state_ == State::kHandling || state_ == State::kItemWaits; }
  bool closed() const { return state_ == State::kClosed; }
  bool waits_for_shard() const { return offer_.in_line(); }
  size_t message_bytes() const { return message_.size(); }

 private:
  enum class State { kIdle, kReading, kHandling, kItemWaits, kClosed };

  void Free();

  SharedBytes& bytes_;
  StreamLine& line_;
  WaitingStreams& waiting_;
  State state_ = State::kIdle;
  grpc::ByteBuffer received_;  // outlives message_: see Free
  grpc::Slice message_;        // the received message, in one piece
  ItemReader items_;           // the rest of the message
  StreamLine::Place turn_, offer_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_INCOMING_H_
