#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_TRACES_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_TRACES_H_

// StreamTraces are the traced messages of one stream: the message being handled, and messages with replies that gRPC
// has not taken yet. A stream has StreamTraces from the first traced message on. Threading: a shard's thread only.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "grpcpp/server_context.h"
#include "server/operate/trace/tracer.h"
#include "server/sessions/session/peer.h"

namespace aaren::rpc {

class StreamTraces final : public trace::Owner {
 public:
  // `unread` tells how many bytes of replies gRPC has not taken. The tracer outlives this. The `traceparent` of the
  // client's call becomes a link of each message, and no parent: a stream may last for days, a trace is of a moment.
  StreamTraces(trace::Tracer& tracer, const grpc::ServerContext& call, std::string tenant,
               std::function<size_t()> unread);
  ~StreamTraces() { tracer_.Leave(*this); }

  // Begins the trace of a message that has come.
  void Begin(uint64_t bytes) { current_ = tracer_.Begin(*this, bytes, tenant_, link_); }

  // The mark of the message being handled; 0: the message is not traced.
  trace::Mark current() const { return current_; }
  void NoteItem(session::Handle handle) { tracer_.NoteItem(current_, handle); }
  void EndReading();

  // The trace of the message being handled, as the log names traces; empty without a trace.
  std::string CurrentId() const;

  // Notes that the message being handled broke the contract.
  void NoteRefused(const session::Refusal& refusal);

  // Notes that gRPC has taken so many bytes of replies.
  void OnTaken(size_t bytes);

  void OnAnswered(trace::Mark mark) override;

 private:
  trace::Tracer& tracer_;
  const std::string tenant_;
  const std::optional<trace::SpanContext> link_;
  const std::function<size_t()> unread_;
  trace::Mark current_ = 0;
  uint64_t taken_ = 0;  // bytes of replies, since the first trace
  // Messages, in order, with the value of taken_ at which all replies have left.
  std::deque<std::pair<uint64_t, trace::Mark>> answered_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_TRACES_H_
