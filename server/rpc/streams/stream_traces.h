#ifndef AAREN_SERVER_RPC_STREAMS_STREAM_TRACES_H_
#define AAREN_SERVER_RPC_STREAMS_STREAM_TRACES_H_

// The traced messages of one stream: the one being handled, and those whose replies gRPC has not taken yet. A stream
// has this once the first of its messages is traced. Threading: a shard's thread only.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "grpcpp/server_context.h"
#include "server/session/peer.h"
#include "server/trace/tracer.h"

namespace aaren::rpc {

class StreamTraces final : public trace::Owner {
 public:
  // `unread` tells how many bytes of replies gRPC has not taken. The tracer outlives this. What the client's call says
  // in `traceparent` becomes a link of each message. It is no parent: a stream may last for days, and a trace is one
  // thing that happened.
  StreamTraces(trace::Tracer& tracer, const grpc::ServerContext& call, std::string tenant,
               std::function<size_t()> unread);
  ~StreamTraces() { tracer_.Leave(*this); }

  // A message has come whose turn it is to be traced.
  void Begin(uint64_t bytes) { current_ = tracer_.Begin(*this, bytes, tenant_, link_); }

  // Of the message being handled; 0: it is not traced.
  trace::Mark current() const { return current_; }
  void NoteItem(session::Handle handle) { tracer_.NoteItem(current_, handle); }
  void EndReading();

  // The message being handled, or nothing, as the log names it.
  std::string CurrentId() const;

  // The client broke the contract with it.
  void NoteRefused(const session::Refusal& refusal);

  // gRPC has taken so many bytes.
  void OnTaken(size_t bytes);

  void OnAnswered(trace::Mark mark) override;

 private:
  trace::Tracer& tracer_;
  const std::string tenant_;
  const std::optional<trace::SpanContext> link_;
  const std::function<size_t()> unread_;
  trace::Mark current_ = 0;
  uint64_t taken_ = 0;  // bytes of replies, since this began
  // Messages whose replies were to be taken by then, in that order.
  std::deque<std::pair<uint64_t, trace::Mark>> answered_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAMS_STREAM_TRACES_H_
