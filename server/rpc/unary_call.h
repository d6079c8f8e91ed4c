#ifndef AAREN_SERVER_RPC_UNARY_CALL_H_
#define AAREN_SERVER_RPC_UNARY_CALL_H_

// A UnaryCall is one call of a unary rpc on a shard's queue. A method's handler gets the request and a Reply to call
// exactly once, from any thread, when the answer is there; nothing blocks meanwhile. Each call waits for its successor
// as soon as it has begun.

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "server/rpc/event.h"
#include "server/rpc/grpc_status.h"
#include "server/rpc/stream_limits.h"
#include "server/session/mailbox.h"
#include "server/session/peer.h"
#include "server/session/refusal.h"

namespace aaren::rpc {

// The queue that unary calls live on, the mailbox of the thread that drains it, and what the calls under way hold.
struct UnaryHost {
  UnaryHost(grpc::ServerCompletionQueue& q, Mailbox& m, int& c, const StreamLimits& l)
      : queue(q), mailbox(m), calls(c), limits(l) {}

  // Why another call with a request of so many bytes cannot be served now, if it cannot.
  std::optional<Refusal> Check(size_t bytes) const {
    if (draining) return ShuttingDown();
    return CheckRoom(bytes);
  }
  std::optional<Refusal> CheckRoom(size_t bytes) const {
    if (under_way < limits.unary_calls && (held_bytes == 0 || held_bytes + bytes <= limits.unary_bytes)) {
      return std::nullopt;
    }
    return OverQuota("unary_calls", "too many unary calls are under way here", absl::Seconds(1));
  }

  grpc::ServerCompletionQueue& queue;
  Mailbox& mailbox;
  int& calls;  // alive on the queue
  const StreamLimits limits;
  size_t under_way = 0, held_bytes = 0;
  size_t reflections = 0;
  bool draining = false;  // the server leaves
};

template <typename Request, typename Response>
class UnaryCall {
 public:
  using Responder = grpc::ServerAsyncResponseWriter<Response>;
  using Reply = absl::AnyInvocable<void(Outcome<Response>)>;
  using Handler = std::function<void(const Request&, Reply)>;
  // The generated RequestMethod, bound to its service.
  using Requester = std::function<void(grpc::ServerContext*, Request*, Responder*, grpc::CompletionQueue*,
                                       grpc::ServerCompletionQueue*, void*)>;

  // Serves the method on the host's queue until the server leaves.
  static void Serve(UnaryHost& host, Requester request, Handler handler) {
    Accept(std::make_shared<const Method>(Method{host, std::move(request), std::move(handler), &UnaryHost::Check}));
  }

  // … and while it leaves, until it shuts down.
  static void ServeToTheEnd(UnaryHost& host, Requester request, Handler handler) {
    Accept(std::make_shared<const Method>(Method{host, std::move(request), std::move(handler), &UnaryHost::CheckRoom}));
  }

 private:
  struct Method {
    UnaryHost& host;
    Requester request;
    Handler handler;
    std::optional<Refusal> (UnaryHost::*check)(size_t bytes) const;
  };

  static void Accept(std::shared_ptr<const Method> method) { new UnaryCall(std::move(method)); }

  explicit UnaryCall(std::shared_ptr<const Method> method)
      : method_(std::move(method)), count_(method_->host.calls), responder_(&context_) {
    grpc::ServerCompletionQueue* queue = &method_->host.queue;
    method_->request(&context_, &request_, &responder_, queue, queue, &accepted_);
  }

  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // the server has shut down
    Accept(method_);
    UnaryHost& host = method_->host;
    const std::optional<Refusal> refusal = (host.*method_->check)(request_.ByteSizeLong());
    if (refusal) return responder_.FinishWithError(ToGrpcStatus(*refusal), &finished_);
    held_bytes_ = request_.ByteSizeLong();
    under_way_ = true;
    host.held_bytes += held_bytes_;
    ++host.under_way;
    method_->handler(request_, [this](Outcome<Response> outcome) {
      method_->host.mailbox.Post([this, outcome = std::move(outcome)]() { Finish(outcome); });
    });
  }

  void Finish(const Outcome<Response>& outcome) {
    if (outcome.refusal.has_value()) {
      responder_.FinishWithError(ToGrpcStatus(*outcome.refusal), &finished_);
    } else {
      responder_.Finish(outcome.value, grpc::Status::OK, &finished_);
    }
  }

  void OnFinished(bool) {
    if (under_way_) {
      method_->host.held_bytes -= held_bytes_;
      --method_->host.under_way;
    }
    delete this;
  }

  const std::shared_ptr<const Method> method_;
  CallCount count_;
  grpc::ServerContext context_;
  Request request_;
  Responder responder_;
  bool under_way_ = false;  // counted at the host
  size_t held_bytes_ = 0;
  CallEvent<UnaryCall> accepted_{this, &UnaryCall::OnAccepted}, finished_{this, &UnaryCall::OnFinished};
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_UNARY_CALL_H_
