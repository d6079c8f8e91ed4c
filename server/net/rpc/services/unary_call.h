#ifndef AAREN_SERVER_NET_RPC_SERVICES_UNARY_CALL_H_
#define AAREN_SERVER_NET_RPC_SERVICES_UNARY_CALL_H_

// A UnaryCall is one call of a unary rpc on a shard's queue. The call begins with its headers: the server knows the
// caller, and gives the call a place, before reading the request. The caller's rights are checked again when the
// request has come. A method's handler gets the caller, the request, and a Reply to call exactly once, from any thread,
// when the answer is ready; nothing blocks meanwhile. Each call waits for its successor as soon as it has begun.
//
// A call is deleted once gRPC has said that the reply left or cannot leave and that the call is over, with no read
// under way.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/identity/caller.h"
#include "server/net/rpc/caller.h"
#include "server/net/rpc/event.h"
#include "server/net/rpc/messages/grpc_status.h"
#include "server/net/rpc/operations.h"
#include "server/net/rpc/services/headers_first_service.h"
#include "server/net/rpc/services/unary_host.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {

// The answer to one call.
template <typename Response>
class Reply {
 public:
  using Send = absl::AnyInvocable<void(session::Outcome<Response>)>;

  // `operations`: of the call.
  Reply(Send send, const Operations& operations) : send_(std::move(send)), operations_(&operations) {}

  // REQUIRES: called once.
  void operator()(session::Outcome<Response> outcome) { send_(std::move(outcome)); }

  // True while the client waits for the answer. REQUIRES: the Reply was not called yet. The queue's thread only.
  bool wanted() const { return operations_->has(Operations::kOver); }

 private:
  Send send_;
  const Operations* operations_;
};

template <typename Request, typename Response>
class UnaryCall {
 public:
  using Handler = std::function<void(const identity::Caller&, const Request&, Reply<Response>)>;

  // Serves the method `name` on the host's queue until the server leaves, to callers whose role is `least` or more.
  // REQUIRES: as HeadersFirstService::Find. All arguments outlive the server.
  static void Serve(HeadersFirstService& service, absl::string_view name, UnaryHost& host, identity::Role least,
                    Handler handler, const ParseBounds& bounds = kSmallRequest) {
    Accept(std::make_shared<const Method>(Method{service, service.Find<Request, Response>(name), host, host.callers,
                                                 least, std::move(handler), bounds, /*to_the_end=*/false}));
  }

  // Like Serve, but also while the server leaves, until it shuts down; and to everybody: the request is a probe's.
  static void ServeToTheEnd(HeadersFirstService& service, absl::string_view name, UnaryHost& host, Handler handler) {
    Accept(std::make_shared<const Method>(Method{service,
                                                 service.Find<Request, Response>(name),
                                                 host,
                                                 nullptr,
                                                 {},
                                                 std::move(handler),
                                                 kProbeRequest,
                                                 /*to_the_end=*/true}));
  }

 private:
  struct Method {
    HeadersFirstService& service;
    int index;
    UnaryHost& host;
    const identity::Callers* callers;
    identity::Role least;
    Handler handler;
    ParseBounds bounds;  // for a request
    bool to_the_end;
  };

  static void Accept(std::shared_ptr<const Method> method) { new UnaryCall(std::move(method)); }

  explicit UnaryCall(std::shared_ptr<const Method> method)
      : method_(std::move(method)), count_(method_->host.calls), io_(&context_) {
    context_.AsyncNotifyWhenDone(&over_);
    method_->service.Wait(method_->index, context_, io_, host().queue, &accepted_);
  }

  UnaryHost& host() const { return method_->host; }

  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // the server has shut down; OnOver does not come
    host().last_words.WhenFew([method = method_] { Accept(method); });
    if (const auto leaving = WhyLeaving()) return Refuse(*leaving);
    if (const std::optional<session::Refusal> refusal = WhyRefused()) return Refuse(*refusal);
    place_.BeginWaiting();
    operations_.Begin(Operations::kRead);
    io_.Read(&received_, &read_);
  }

  std::optional<session::Refusal> WhyLeaving() const {
    return host().draining && !method_->to_the_end ? std::make_optional(session::ShuttingDown()) : std::nullopt;
  }

  // Checks before the request is read. The place comes last: another call may have to give way for the place.
  std::optional<session::Refusal> WhyRefused() {
    session::Outcome<identity::Caller> caller = CallerOf(context_, method_->callers, method_->least, host().clock);
    if (caller.refusal) return std::move(caller.refusal);
    caller_ = std::move(caller.value);
    if (auto refusal = host().Charge(caller_.account)) return refusal;
    place_ = host().places.Take(context_.peer(), [this](CallPlaces::Why why) { GiveUp(why); });
    if (place_.taken()) return std::nullopt;
    if (caller_.account != nullptr) caller_.account->unary_calls.GiveBack();
    return UnaryHost::TooMany("too many unary calls are under way here");
  }

  void OnRead(bool ok) {
    operations_.End(Operations::kRead);
    grpc::ByteBuffer received;  // freed when the function returns, in any case
    received.Swap(&received_);
    if (finishing_) return DeleteIfDone();
    place_.EndWaiting();
    if (!ok) return Refuse(session::PlainRefusal(absl::InvalidArgumentError("the call has ended without a request")));
    if (auto refusal = WhyLeaving()) return Refuse(*refusal);
    if (auto refusal = StillMayCall(caller_, method_->callers, method_->least, host().clock)) return Refuse(*refusal);
    const size_t bytes = received.Length();
    if (!host().MakeRoom(bytes)) return Refuse(UnaryHost::TooMany("too many unary calls are under way here"));
    if (absl::Status parsed = ParseRequest(received, method_->bounds, request_); !parsed.ok()) {
      return Refuse(session::PlainRefusal(std::move(parsed)));
    }
    Hold(bytes);
    const auto post = [this](session::Outcome<Response> outcome) {
      host().mailbox.Post([this, outcome = std::move(outcome)]() { Finish(outcome); });
    };
    method_->handler(caller_, request_, Reply<Response>(post, operations_));
  }

  // A large reply without room among the replies not taken yet is not sent: the client may ask again.
  void Finish(const session::Outcome<Response>& outcome) {
    Request().Swap(&request_);
    LetGo();
    if (outcome.refusal.has_value()) return Refuse(*outcome.refusal);
    if (!operations_.has(Operations::kOver))
      return Refuse(session::PlainRefusal(absl::CancelledError("the caller has gone")));
    const size_t bytes = outcome.value.ByteSizeLong();
    if (!host().MakeRoom(bytes)) return Refuse(UnaryHost::TooMany("too many replies wait here to be taken"));
    Hold(bytes);
    place_.BeginWaiting(bytes > UnaryHost::kSmall ? bytes : 0);
    finishing_ = true;
    io_.Finish(outcome.value, grpc::Status::OK, &finished_);
  }

  // The call has waited for its client for too long, and has lost its place.
  void GiveUp(CallPlaces::Why why) {
    if (finishing_) {  // the client does not take the reply
      LetGo();
      return context_.TryCancel();
    }
    Refuse(
        why == CallPlaces::Why::kStale
            ? session::PlainRefusal(absl::DeadlineExceededError("the request did not come in time"))
            : UnaryHost::TooMany("too many unary calls are under way here, and the request of this one did not come"));
  }

  void Refuse(const session::Refusal& refusal) {
    finishing_ = true;
    place_ = {};
    host().last_words.Begin(last_word_, [this] { context_.TryCancel(); });
    io_.FinishWithError(ToGrpcStatus(refusal), &finished_);
  }

  void Hold(size_t bytes) {
    if (bytes <= UnaryHost::kSmall) return;
    held_bytes_ += bytes;
    host().held_bytes += bytes;
  }

  void LetGo() { host().held_bytes -= std::exchange(held_bytes_, 0); }

  void OnFinished(bool) {
    LetGo();
    place_ = {};
    operations_.End(Operations::kFinish);
    DeleteIfDone();
  }

  void OnOver(bool) {
    operations_.End(Operations::kOver);
    DeleteIfDone();
  }

  void DeleteIfDone() {
    if (operations_.none()) delete this;
  }

  const std::shared_ptr<const Method> method_;
  CallCount count_;
  grpc::ServerContext context_;
  identity::Caller caller_;
  grpc::ByteBuffer received_;
  Request request_;
  grpc::ServerAsyncReader<Response, grpc::ByteBuffer> io_;
  CallPlaces::Place place_;  // place_ and last_word_ after context_
  LastWords::Word last_word_;
  size_t held_bytes_ = 0;
  Operations operations_{Operations::kFinish, Operations::kOver};
  bool finishing_ = false;  // the last operation has begun
  CallEvent<UnaryCall> accepted_{this, &UnaryCall::OnAccepted}, read_{this, &UnaryCall::OnRead},
      finished_{this, &UnaryCall::OnFinished}, over_{this, &UnaryCall::OnOver};
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_UNARY_CALL_H_
