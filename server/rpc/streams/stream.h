#ifndef AAREN_SERVER_RPC_STREAMS_STREAM_H_
#define AAREN_SERVER_RPC_STREAMS_STREAM_H_

// A Stream is one call of Streaming.Stream: it moves items from the wire to its shard and replies from the shard to the
// wire, and holds no logic beyond that.
//
// At most one read and one write are under way. What a message holds is handled a few items at a time, in turn with the
// other streams. A stream is not read, and its sessions are not stepped, while its client leaves replies unread. It is
// not read either while the shard does not admit its next item. Whatever part of a message has been handled by then,
// the rest waits. So what one client can make the server hold is bounded.
//
// After a half-close it ends with OK as soon as everything is answered. When the client breaks the contract, it ends
// with the reason, after a Failed without a handle. When the server leaves, it ends with UNAVAILABLE; when the client
// vanishes, silently. It also ends when the client does not say Hello, does not read, or opens nothing, for too long,
// and when its caller is struck out of the list. The sessions stay in each case.
// Finish is called exactly once and the object deletes itself when no operation is left.
//
// Threading: the shard's thread only.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "server/identity/caller.h"
#include "server/identity/callers.h"
#include "server/rpc/event.h"
#include "server/rpc/messages/envelope.h"
#include "server/rpc/streams/outbox.h"
#include "server/rpc/streams/stream_group.h"
#include "server/rpc/streams/stream_traces.h"
#include "server/session/peer.h"

namespace aaren::rpc {

class Stream final : public session::Peer {
 public:
  // Waits for a call. Owned by itself; `group` outlives it.
  explicit Stream(StreamGroup& group);

  void OnOpened(session::Handle handle, const session::OpenedReply& reply) override;
  void OnForecasts(session::Handle handle, const session::ForecastsReply& reply) override;
  void OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) override;
  void OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) override;
  void OnCloseRefused(session::Handle handle, const session::Refusal& refusal) override;
  bool HasRoom() const override { return group_.HasRoom(outbox_.bytes()); }
  void OnRoom() override { TryAgain(); }

  // Handles some of the items that have come, and asks for another turn if more are left.
  // False if there was nothing that it could do.
  bool HandleItems();

  // Has another turn, for what could not be handled.
  void TryAgain();

  // It was taken from the group's list of those that the shard did not admit, and has another turn.
  void OnOffered();

  // Asks for a Flush at the end of this round.
  void Touch();
  void Flush();

  void Drain(absl::Duration deadline);

  // Takes no more items, and finishes with `status` once every reply is written.
  void End(grpc::Status status);
  void Cancel() {
    if (!std::exchange(cancelled_, true)) context_.TryCancel();
  }
  void EndIfStale(absl::Time now);

  // Ends it at once if its caller may not have it any more.
  void CheckCaller(const identity::Callers::Known& callers, absl::Time wall);

  StreamInfo Describe(absl::Time now) const;
  absl::Time caller_ends() const { return caller_.ends; }

 private:
  ~Stream() override;  // not for others: the object deletes itself

  void OnAccepted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void NoteHeard() const;
  void OnFinished(bool ok);

  // What became of an item. One that waits is handled again, after TryAgain.
  enum class Handled { kYes, kWaits, kWaitsForShard };

  void Read();
  bool HandleTurn();
  void ChargeTurn();
  std::optional<session::Refusal> WhyRefused();
  bool Refused();
  void StrikeOut(const session::Refusal& why);
  absl::StatusOr<Handled> HandleItem(uint32_t field, std::string_view content);
  absl::Status HandleHello(std::string_view content);
  absl::StatusOr<Handled> HandleTokens(std::string_view content);
  Handled HandleParsedTokens(session::TokensView tokens);
  absl::StatusOr<Handled> HandleOpen(std::string_view content);
  absl::StatusOr<Handled> HandleClose(std::string_view content);
  void Wait(Handled why);
  void BeginTrace();
  absl::Status TakeMessage();  // of what was received
  void DropMessage();
  void FreeMessage();

  void Append(uint32_t field, const google::protobuf::MessageLite& content);
  void Fail(const absl::Status& status);
  void Fail(const session::Refusal& refusal);
  void LogRefused(const session::Refusal& refusal);
  void Finish(const grpc::Status& status);
  void DeleteIfDone();

  StreamGroup& group_;
  CallCount count_;
  grpc::ServerContext context_;
  identity::Caller caller_;  // once it was accepted
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> io_;
  CallEvent<Stream> accepted_{this, &Stream::OnAccepted}, read_{this, &Stream::OnRead, Event::Turn::kFirst},
      written_{this, &Stream::OnWritten, Event::Turn::kFirst}, finished_{this, &Stream::OnFinished};

  grpc::ByteBuffer received_;  // outlives message_: see FreeMessage
  grpc::Slice message_;        // the received message, in one piece
  ItemReader items_;           // what is left of it
  Outbox outbox_;
  std::unique_ptr<StreamTraces> traces_;  // null: none of its messages was traced
  std::optional<grpc::Status> ending_;
  LastWords::Word last_word_;  // after context_
  std::string peer_;           // of its client, once it was accepted
  uint64_t number_ = 0;        // in the group, once it is one of its streams
  absl::Time opened_;
  absl::Time since_;          // when it was accepted, greeted, or last had a session open
  absl::Time writing_since_;  // of the write under way
  size_t writing_bytes_ = 0;
  uint64_t turn_tokens_ = 0;  // that came in this turn, times channels
  size_t header_bytes_ = 0;   // of its headers, as the group counts them

  bool greeted_ = false;      // Hello has come
  Heard heard_;               // null if its connection is not there any more
  bool reading_ = false;      // a read is under way
  bool writing_ = false;      // a write is under way
  bool handling_ = false;     // a message is only partly handled
  bool again_ = false;        // the item that was read last could not be handled
  bool half_closed_ = false;  // the client sends no more
  bool finishing_ = false;    // Finish was called
  bool finished_done_ = false;
  bool cancelled_ = false;
  bool touched_ = false;
  bool in_input_ = false;    // in the group's list of those with items to handle
  bool in_waiting_ = false;  // in its list of those that the shard did not admit
  bool counted_ = false;     // among the group's streams
  bool placed_ = false;      // among its tenant's
  bool over_rate_ = false;   // its tenant may have no more tokens in this turn
  bool struck_out_ = false;  // what the shard had of it is gone
  absl::Time struck_out_at_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAMS_STREAM_H_
