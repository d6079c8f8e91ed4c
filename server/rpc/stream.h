#ifndef AAREN_SERVER_RPC_STREAM_H_
#define AAREN_SERVER_RPC_STREAM_H_

// A Stream is one call of Streaming.Stream: it moves items from the wire to its shard and replies from the shard to the
// wire, and holds no logic beyond that.
//
// At most one read and one write are under way. A stream is not read while its client leaves replies unread
// (kMaxUnwrittenBytes), while the shard is full, or while many Opens wait for their answers; whatever part of a message
// has been handled by then, the rest waits. So what one client can make the server hold is bounded.
//
// Ends: after a half-close, with OK as soon as everything is answered; when the client breaks the contract, with the
// reason, after a Failed without a handle; when the server leaves, with UNAVAILABLE; when the client vanishes,
// silently. The sessions stay in each case. Finish is called exactly once and the object deletes itself when no
// operation is left.
//
// Threading: the shard's thread only.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "server/rpc/envelope.h"
#include "server/rpc/event.h"
#include "server/rpc/outbox.h"
#include "server/rpc/stream_group.h"
#include "server/session/peer.h"

namespace aaren::rpc {

class Stream final : public Peer {
 public:
  // Waits for a call. Owned by itself; `group` outlives it.
  explicit Stream(StreamGroup& group);

  void OnOpened(Handle handle, const OpenedReply& reply) override;
  void OnForecasts(Handle handle, const ForecastsReply& reply) override;
  void OnAcked(Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnClosed(Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnFailed(Handle handle, const Refusal& refusal, uint64_t expected_seq) override;

  // Asks for a Flush at the end of this round.
  void Touch();
  void Flush();

  // The shard takes tokens again.
  void StopWaiting();

  void SendDraining(absl::Duration deadline);

  // Takes no more items, and finishes with `status` once every reply is written.
  void End(grpc::Status status);
  void Cancel() { context_.TryCancel(); }

 private:
  ~Stream() override;  // not for others: the object deletes itself

  void OnAccepted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);

  void Read();
  void HandleItems();
  bool MustWait();
  absl::Status HandleItem(uint32_t field, std::string_view content);
  absl::Status HandleHello(std::string_view content);
  absl::Status HandleOpen(std::string_view content);
  absl::Status HandleTokens(std::string_view content);
  absl::Status HandleClose(std::string_view content);

  void Append(uint32_t field, const google::protobuf::MessageLite& content);
  void Answered(Handle handle);
  bool AllAnswered();
  void Fail(const absl::Status& status);
  void Finish(const grpc::Status& status);
  void DeleteIfDone();

  StreamGroup& group_;
  CallCount count_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> io_;
  CallEvent<Stream> accepted_{this, &Stream::OnAccepted}, read_{this, &Stream::OnRead},
      written_{this, &Stream::OnWritten}, finished_{this, &Stream::OnFinished};

  grpc::ByteBuffer received_;
  grpc::Slice message_;  // the received message, in one piece
  ItemReader items_;     // what is left of it
  Outbox outbox_;
  absl::flat_hash_map<Handle, uint32_t> unanswered_;  // Opens and Closes per handle that wait for their answer
  std::optional<grpc::Status> ending_;
  uint64_t last_round_ = 0;  // after a half-close: all tokens are stepped then

  bool greeted_ = false;      // Hello has come
  bool reading_ = false;      // a read is under way
  bool writing_ = false;      // a write is under way
  bool handling_ = false;     // a message is only partly handled
  bool half_closed_ = false;  // the client sends no more
  bool finishing_ = false;    // Finish was called
  bool finished_done_ = false;
  bool touched_ = false;
  bool waiting_ = false;  // in the group's list of those that wait for the shard
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAM_H_
