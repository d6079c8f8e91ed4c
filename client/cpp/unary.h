#ifndef AAREN_CLIENT_CPP_UNARY_H_
#define AAREN_CLIENT_CPP_UNARY_H_

// One question to a server, one answer:
//
//   auto sessions = v1::Sessions::NewStub(MakeChannel(target, channel));
//   auto session = CallUnary(*sessions, &v1::Sessions::Stub::Get, request, channel, absl::Seconds(5));
//
// Threading: a plain function; it blocks.

#include <grpcpp/client_context.h>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cpp/channel.h"
#include "client/cpp/status.h"

namespace aaren::client {

inline constexpr absl::Duration kUnaryTimeout = absl::Seconds(30);

// DEADLINE_EXCEEDED if no answer came in `timeout`, connecting included; else the server's status, as status.h reads
// it, or UNAVAILABLE if nobody is there.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> CallUnary(Stub& stub,
                                   grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                   const Request& request, const ChannelOptions& channel,
                                   absl::Duration timeout = kUnaryTimeout) {
  const absl::Status valid = CheckChannel(channel);
  if (!valid.ok()) return valid;
  grpc::ClientContext context;
  if (timeout != absl::InfiniteDuration()) context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  AddMetadata(channel, context);
  Response response;
  const grpc::Status answer = (stub.*method)(&context, request, &response);
  if (!answer.ok()) return FromGrpc(answer);
  return response;
}

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_UNARY_H_
