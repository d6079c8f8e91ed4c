#ifndef AAREN_CLIENT_CPP_UNARY_UNARY_H_
#define AAREN_CLIENT_CPP_UNARY_UNARY_H_

// A UnaryCaller calls the methods of a service of one server. Threading: safe from any thread; calls block.

#include <grpcpp/client_context.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "aaren/client/service.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "client/cpp/channel/channel.h"
#include "client/cpp/channel/proxy.h"
#include "client/cpp/messages/printable.h"
#include "client/cpp/messages/rpc_status.h"

namespace aaren::client {

template <typename Service>
class UnaryCaller {
 public:
  using Stub = typename Service::Stub;

  explicit UnaryCaller(ServiceOptions options)
      : options_(std::move(options)), stub_(Service::NewStub(MakeChannel(options_.target, options_.channel))) {}

  // The server's name in errors.
  const std::string& server() const { return options_.target; }

  // DEADLINE_EXCEEDED without an answer in time, connecting included; INVALID_ARGUMENT for illegal metadata; else the
  // server's status in the form of status.h, or UNAVAILABLE without a server. `names` are the request's ids and names;
  // INVALID_ARGUMENT for an unprintable name.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                               const Request& request, std::initializer_list<absl::string_view> names,
                               const CallOptions& call) const {
    for (const absl::string_view name : names) {
      const absl::Status printable = CheckPrintable("an id or a name", name);
      if (!printable.ok()) return printable;
    }
    const absl::StatusOr<Metadata> metadata = CallMetadata(options_.channel);
    if (!metadata.ok()) return metadata.status();
    const absl::Time deadline = call.deadline.value_or(absl::Now() + options_.timeout);
    if (deadline <= absl::Now()) return absl::DeadlineExceededError("the deadline of the call has passed");
    grpc::ClientContext context;
    if (deadline != absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
    AddMetadata(*metadata, context);
    Response response;
    const grpc::Status answer = ((*stub_).*method)(&context, request, &response);
    if (!answer.ok()) return NameProxy(FromGrpc(answer), options_.target);
    return response;
  }

 private:
  const ServiceOptions options_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_UNARY_UNARY_H_
