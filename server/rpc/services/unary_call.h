#ifndef AAREN_SERVER_RPC_SERVICES_UNARY_CALL_H_
#define AAREN_SERVER_RPC_SERVICES_UNARY_CALL_H_

// A UnaryCall is one call of a unary rpc on a shard's queue. It begins with its headers: who asks is known, and it has a
// place, before its request is read. A method's handler gets who asks, the request, and a Reply to call exactly once,
// from any thread, when the answer is there; nothing blocks meanwhile. Each call waits for its successor as soon as it
// has begun.
//
// It ends when gRPC has said both that the reply has left, or cannot, and that the call is over.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "server/identity/caller.h"
#include "server/rpc/caller.h"
#include "server/rpc/event.h"
#include "server/rpc/messages/grpc_status.h"
#include "server/rpc/services/headers_first_service.h"
#include "server/rpc/services/unary_host.h"
#include "server/session/peer.h"
#include "server/session/refusal.h"

namespace aaren::rpc {

// The answer to one call.
template <typename Response>
class Reply {
 public:
  using Send = absl::AnyInvocable<void(session::Outcome<Response>)>;

  Reply(Send send, const bool& gone) : send_(std::move(send)), gone_(&gone) {}

  // REQUIRES: called once.
  void operator()(session::Outcome<Response> outcome) { send_(std::move(outcome)); }

  // Whether the caller still waits for it. REQUIRES: it was not called yet. The queue's thread only.
  bool wanted() const { return !*gone_; }

 private:
  Send send_;
  const bool* gone_;
};

template <typename Request, typename Response>
class UnaryCall {
 public:
  using Handler = std::function<void(const identity::Caller&, const Request&, Reply<Response>)>;

  // Serves the method of this name on the host's queue until the server leaves, to callers whose role is `least` or
  // more. REQUIRES: as HeadersFirstService::Find. All outlive the server.
  static void Serve(HeadersFirstService& service, absl::string_view name, UnaryHost& host, identity::Role least,
                    Handler handler) {
    Accept(std::make_shared<const Method>(Method{service, service.Find<Request, Response>(name), host, host.callers,
                                                 least, std::move(handler), /*to_the_end=*/false}));
  }

  // … and while it leaves, until it shuts down; and to everybody.
  static void ServeToTheEnd(HeadersFirstService& service, absl::string_view name, UnaryHost& host, Handler handler) {
    Accept(std::make_shared<const Method>(Method{
        service, service.Find<Request, Response>(name), host, nullptr, {}, std::move(handler), /*to_the_end=*/true}));
  }

 private:
  struct Method {
    HeadersFirstService& service;
    int index;
    UnaryHost& host;
    const identity::Callers* callers;
    identity::Role least;
    Handler handler;
    bool to_the_end;
  };

  static void Accept(std::shared_ptr<const Method> method) { new UnaryCall(std::move(method)); }

  explicit UnaryCall(std::shared_ptr<const Method> method)
      : method_(std::move(method)), host_(method_->host), count_(host_.calls), io_(&context_) {
    context_.AsyncNotifyWhenDone(&over_);
    method_->service.Wait(method_->index, context_, io_, host_.queue, &accepted_);
  }

  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // the server has shut down; OnOver does not come
    Accept(method_);
    peer_ = context_.peer();
    if (const std::optional<session::Refusal> refusal = WhyRefused()) {
      host_.NoteVain(peer_);
      return Refuse(*refusal);
    }
    place_.BeginWaiting();
    io_.Read(&request_, &read_);
  }

  // Before anything of its request is read.
  std::optional<session::Refusal> WhyRefused() {
    if (host_.draining && !method_->to_the_end) return session::ShuttingDown();
    session::Outcome<identity::Caller> caller = CallerOf(context_, method_->callers, method_->least, host_.clock);
    if (caller.refusal) return std::move(caller.refusal);
    caller_ = std::move(caller.value);
    session::Outcome<CallPlaces::Place> place = host_.TakePlace(context_);
    if (place.refusal) return std::move(place.refusal);
    place_ = std::move(place.value);
    return host_.Charge(caller_.account);
  }

  void OnRead(bool ok) {
    place_.EndWaiting();
    host_.NoteHeard(peer_);
    if (!ok) return Refuse(session::PlainRefusal(absl::InvalidArgumentError("the call has ended without a request")));
    const size_t bytes = request_.ByteSizeLong();
    if (!host_.HasRoom(bytes)) return Refuse(UnaryHost::TooMany("too many unary calls are under way here"));
    Hold(bytes);
    const auto post = [this](session::Outcome<Response> outcome) {
      host_.mailbox.Post([this, outcome = std::move(outcome)]() { Finish(outcome); });
    };
    method_->handler(caller_, request_, Reply<Response>(post, over_already_));
  }

  // A large reply for which there is no room among those not taken yet is not sent: the client may ask again.
  void Finish(const session::Outcome<Response>& outcome) {
    if (outcome.refusal.has_value()) return Refuse(*outcome.refusal);
    const size_t bytes = outcome.value.ByteSizeLong();
    if (bytes > kSmallReply && !host_.HasRoom(bytes, held_bytes_)) {
      return Refuse(UnaryHost::TooMany("too many replies wait here to be taken"));
    }
    Hold(bytes);
    place_.BeginWaiting();
    io_.Finish(outcome.value, grpc::Status::OK, &finished_);
  }

  void Refuse(const session::Refusal& refusal) {
    if (place_.taken()) place_.BeginWaiting();
    io_.FinishWithError(ToGrpcStatus(refusal), &finished_);
  }

  void Hold(size_t bytes) {
    held_bytes_ += bytes;
    host_.held_bytes += bytes;
  }

  void OnFinished(bool) {
    host_.held_bytes -= held_bytes_;
    place_ = {};
    finished_already_ = true;
    if (over_already_) delete this;
  }

  void OnOver(bool) {
    over_already_ = true;
    if (finished_already_) delete this;
  }

  static constexpr size_t kSmallReply = 16 << 10;  // bytes

  const std::shared_ptr<const Method> method_;
  UnaryHost& host_;
  CallCount count_;
  grpc::ServerContext context_;
  identity::Caller caller_;
  std::string peer_;
  Request request_;
  grpc::ServerAsyncReader<Response, Request> io_;
  CallPlaces::Place place_;  // after context_
  size_t held_bytes_ = 0;
  bool finished_already_ = false, over_already_ = false;
  CallEvent<UnaryCall> accepted_{this, &UnaryCall::OnAccepted}, read_{this, &UnaryCall::OnRead},
      finished_{this, &UnaryCall::OnFinished}, over_{this, &UnaryCall::OnOver};
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_UNARY_CALL_H_
