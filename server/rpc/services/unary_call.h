#ifndef AAREN_SERVER_RPC_SERVICES_UNARY_CALL_H_
#define AAREN_SERVER_RPC_SERVICES_UNARY_CALL_H_

// A UnaryCall is one call of a unary rpc on a shard's queue. A method's handler gets who asks, the request, and a Reply
// to call exactly once, from any thread, when the answer is there; nothing blocks meanwhile. Each call waits for its
// successor as soon as it has begun.

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "server/identity/accounts/account.h"
#include "server/identity/caller.h"
#include "server/identity/callers.h"
#include "server/rpc/caller.h"
#include "server/rpc/event.h"
#include "server/rpc/messages/grpc_status.h"
#include "server/rpc/shares.h"
#include "server/rpc/streams/stream_limits.h"
#include "server/session/clock.h"
#include "server/session/mailbox.h"
#include "server/session/peer.h"
#include "server/session/refusal.h"

namespace aaren::rpc {

// The queue that unary calls live on, the mailbox of the thread that drains it, and what the calls under way hold. They
// hold their requests, and replies until the client has taken them. Connections share the number of calls: one may have
// half of what others leave.
struct UnaryHost {
  UnaryHost(grpc::ServerCompletionQueue& q, session::Mailbox& m, int& c, const StreamLimits& l, const session::Clock& k)
      : queue(q), mailbox(m), calls(c), limits(l), clock(k), under_way(l.unary_calls), reflections(l.reflections) {}

  // Why another call of this peer with a request of so many bytes cannot be served now, if it cannot.
  std::optional<session::Refusal> Check(const std::string& peer, size_t bytes) const {
    if (draining) return session::ShuttingDown();
    return CheckRoom(peer, bytes);
  }
  std::optional<session::Refusal> CheckRoom(const std::string& peer, size_t bytes) const {
    if (under_way.Admits(peer) && HasRoom(bytes)) return std::nullopt;
    return session::OverQuota("unary_calls", "too many unary calls are under way here", absl::Seconds(1));
  }
  // A call counts among those of its tenant's second, or is one too many.
  std::optional<session::Refusal> Charge(identity::Account* account) const {
    if (account == nullptr || account->unary_calls.TryTake(clock.NowNanos())) return std::nullopt;
    account->NoteLimited(identity::Account::Limit::kUnary);
    return session::TooManyUnaryCalls(*account, absl::Nanoseconds(account->unary_calls.WaitForOneNs(clock.NowNanos())));
  }

  // For so many bytes more, of a call that holds `own` already.
  bool HasRoom(size_t bytes, size_t own = 0) const {
    return held_bytes == own || held_bytes + bytes <= limits.unary_bytes;
  }

  // Ends the calls whose clients do not take their replies. Call it every second or so.
  void EndStale() {
    const absl::Time oldest = clock.Now() - limits.unread;
    for (const auto& [since, context] : replies) {
      if (since > oldest) return;
      context->TryCancel();
    }
  }

  grpc::ServerCompletionQueue& queue;
  session::Mailbox& mailbox;
  int& calls;  // alive on the queue
  const StreamLimits limits;
  const session::Clock& clock;
  Shares under_way, reflections;
  size_t held_bytes = 0;
  std::list<std::pair<absl::Time, grpc::ServerContext*>> replies;  // not taken yet, the oldest first
  bool draining = false;                                           // the server leaves
  const identity::Callers* callers = nullptr;                      // who may call; null: everybody may everything
  std::function<std::shared_ptr<std::atomic<int64_t>>(absl::string_view peer)> heard_of;  // accept/acceptor.h; or null
};

template <typename Request, typename Response>
class UnaryCall {
 public:
  using Responder = grpc::ServerAsyncResponseWriter<Response>;
  using Reply = absl::AnyInvocable<void(session::Outcome<Response>)>;
  using Handler = std::function<void(const identity::Caller&, const Request&, Reply)>;
  // The generated RequestMethod, bound to its service.
  using Requester = std::function<void(grpc::ServerContext*, Request*, Responder*, grpc::CompletionQueue*,
                                       grpc::ServerCompletionQueue*, void*)>;

  // Serves the method on the host's queue until the server leaves, to callers whose role is `least` or more.
  static void Serve(UnaryHost& host, Requester request, identity::Role least, Handler handler) {
    Accept(std::make_shared<const Method>(
        Method{host, host.callers, least, std::move(request), std::move(handler), &UnaryHost::Check}));
  }

  // … and while it leaves, until it shuts down; and to everybody.
  static void ServeToTheEnd(UnaryHost& host, Requester request, Handler handler) {
    Accept(std::make_shared<const Method>(
        Method{host, nullptr, {}, std::move(request), std::move(handler), &UnaryHost::CheckRoom}));
  }

 private:
  struct Method {
    UnaryHost& host;
    const identity::Callers* callers;
    identity::Role least;
    Requester request;
    Handler handler;
    std::optional<session::Refusal> (UnaryHost::*check)(const std::string& peer, size_t bytes) const;
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
    const std::string peer = context_.peer();
    const std::optional<session::Refusal> refusal = (host.*method_->check)(peer, request_.ByteSizeLong());
    if (refusal) return Refuse(*refusal);
    const session::Outcome<identity::Caller> caller = CallerOf(context_, method_->callers, method_->least, host.clock);
    if (caller.refusal) return Refuse(*caller.refusal);
    if (const auto refusal = host.Charge(caller.value.account)) return Refuse(*refusal);
    peer_ = peer;
    if (const auto heard = host.heard_of ? host.heard_of(peer) : nullptr; heard != nullptr) {
      heard->store(host.clock.NowNanos(), std::memory_order_relaxed);
    }
    Hold(request_.ByteSizeLong());
    host.under_way.Take(peer);
    method_->handler(caller.value, request_, [this](session::Outcome<Response> outcome) {
      method_->host.mailbox.Post([this, outcome = std::move(outcome)]() { Finish(outcome); });
    });
  }

  // A large reply for which there is no room among those not taken yet is not sent: the client may ask again.
  void Finish(const session::Outcome<Response>& outcome) {
    if (outcome.refusal.has_value()) return Refuse(*outcome.refusal);
    const size_t bytes = outcome.value.ByteSizeLong();
    if (bytes > kSmallReply && !method_->host.HasRoom(bytes, held_bytes_)) {
      return Refuse(session::OverQuota("unary_calls", "too many replies wait here to be taken", absl::Seconds(1)));
    }
    Hold(bytes);
    NoteReply();
    responder_.Finish(outcome.value, grpc::Status::OK, &finished_);
  }

  void Refuse(const session::Refusal& refusal) {
    NoteReply();
    responder_.FinishWithError(ToGrpcStatus(refusal), &finished_);
  }

  void NoteReply() {
    UnaryHost& host = method_->host;
    reply_ = host.replies.emplace(host.replies.end(), host.clock.Now(), &context_);
  }

  void Hold(size_t bytes) {
    held_bytes_ += bytes;
    method_->host.held_bytes += bytes;
  }

  void OnFinished(bool) {
    UnaryHost& host = method_->host;
    host.replies.erase(reply_);
    host.held_bytes -= held_bytes_;
    if (peer_.has_value()) host.under_way.Give(*peer_);
    delete this;
  }

  static constexpr size_t kSmallReply = 16 << 10;  // bytes

  const std::shared_ptr<const Method> method_;
  CallCount count_;
  grpc::ServerContext context_;
  Request request_;
  Responder responder_;
  std::optional<std::string> peer_;  // by which it is counted at the host, if it is
  size_t held_bytes_ = 0;
  std::list<std::pair<absl::Time, grpc::ServerContext*>>::iterator reply_;
  CallEvent<UnaryCall> accepted_{this, &UnaryCall::OnAccepted}, finished_{this, &UnaryCall::OnFinished};
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_UNARY_CALL_H_
