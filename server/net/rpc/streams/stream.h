#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_H_

// A Stream is one call of Streaming.Stream: moves items from the wire to the shard and replies from the shard to the
// wire, and holds no logic beyond the order of both. The parts of a stream:
//
//   Incoming     the message being handled        ItemHandler  items, one by one, to the shard
//   Outgoing     replies not written yet          StreamPeer   the shard's replies, one by one, to Outgoing
//   Membership   caller, number, shared memory    StreamLife   the stream's progress, and the end of the stream's time
//
// At most one read and one write are under way. Streams take turns, a few items at a time. While a client leaves
// replies unread, the server does not read the stream, and does not step the stream's sessions; neither does the server
// read while the shard does not admit the stream's next item. The rest of a message waits. So a single client can make
// the server hold little.
//
// After a half-close the stream ends with OK as soon as everything is answered. When the client breaks the contract,
// the stream ends with the reason, after a Failed without a handle. When the server leaves, the stream ends with
// UNAVAILABLE; when the client vanishes, silently. A stream also ends when the client does not say Hello, does not
// read, or opens nothing, for too long, and when the caller is struck out of the list. The sessions stay in each case.
// Finish is called exactly once, and the object deletes itself when no operation is left.
//
// Threading: the shard's thread only.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/identity/callers.h"
#include "server/net/rpc/event.h"
#include "server/net/rpc/limits/last_words.h"
#include "server/net/rpc/streams/incoming.h"
#include "server/net/rpc/streams/item_handler.h"
#include "server/net/rpc/streams/membership.h"
#include "server/net/rpc/streams/outgoing.h"
#include "server/net/rpc/streams/stream_commons.h"
#include "server/net/rpc/streams/stream_info.h"
#include "server/net/rpc/streams/stream_life.h"
#include "server/net/rpc/streams/stream_peer.h"
#include "server/net/rpc/streams/stream_traces.h"

namespace aaren::rpc {

// UNAVAILABLE, with the advice to come back in a second.
grpc::Status GoneStatus();

// A look at a stream. Each stream gets a look a second.
struct StreamLook {
  absl::Time now, wall;
  const identity::Callers::Known& callers;
  bool callers_changed;  // since the look before
};

class Stream final {
 public:
  // Waits for a call, with a self-owned object; each new call waits for the next call. `commons` outlive the streams.
  static void Accept(StreamCommons& commons) { new Stream(commons); }

  // A turn: handles some received items, and asks for another turn if more are left. False if nothing could be handled.
  bool HandleItems();

  // The shard may admit the waiting item.
  void OnOffered() { incoming_.AskForTurn(); }

  // Writes the round's replies, and finishes the call once nothing is left to be done.
  void Flush();

  // Tells the client of the server's leaving.
  void Drain(absl::Duration deadline);

  // Takes no more items, and finishes with `status` once every reply is written.
  void End(grpc::Status status);

  // Cuts the call off: unwritten replies are lost.
  void Cancel();

  // Ends the stream if the client has let the stream wait for too long, or if the caller may not have the stream any
  // more.
  void Look(const StreamLook& look);

  StreamInfo Describe(absl::Time now) const;

 private:
  explicit Stream(StreamCommons& commons);
  ~Stream() = default;  // private: the object deletes itself

  void OnAccepted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);

  void Read();
  void BeginTrace();
  void DropMessage();
  void EndIfStale(absl::Time now);
  void CutOffUnread();
  void CheckCaller(const StreamLook& look);
  void Fail(const absl::Status& status);
  void Fail(const session::Refusal& refusal);
  void EndFor(const session::Refusal& refusal);
  void LogRefused(const session::Refusal& refusal);
  void Finish(const grpc::Status& status);
  void DeleteIfDone();

  shard::SessionShard& shard() const { return commons_.host.shard; }

  StreamCommons& commons_;
  CallCount count_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> io_{&context_};
  CallEvent<Stream> accepted_{this, &Stream::OnAccepted}, read_{this, &Stream::OnRead, Event::Turn::kFirst},
      written_{this, &Stream::OnWritten, Event::Turn::kFirst}, finished_{this, &Stream::OnFinished};

  StreamLife life_;
  Membership member_;
  Incoming incoming_;
  Outgoing outgoing_;
  StreamPeer peer_;
  ItemHandler handler_;
  std::unique_ptr<StreamTraces> traces_;  // null: none of the messages was traced
  LastWords::Word last_word_;             // after context_
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_H_
