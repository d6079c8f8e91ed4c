#ifndef AAREN_SERVER_NET_RPC_STREAMS_MEMBERSHIP_H_
#define AAREN_SERVER_NET_RPC_STREAMS_MEMBERSHIP_H_

// A Membership is a stream among the shard's streams: the caller, and the stream's parts of common resources.
// Everything is given back at the end. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "server/identity/caller.h"
#include "server/identity/callers.h"
#include "server/net/rpc/streams/stream_commons.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {

class Membership {
 public:
  // Begins without a stream. `commons` outlive the Membership.
  explicit Membership(StreamCommons& commons) : commons_(commons) {}
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
  ~Membership();

  // Makes the call's stream a member, or tells why not: the caller may have no stream, or the shard, the tenant or the
  // connection has too many. REQUIRES: the call has begun; called once.
  std::optional<session::Refusal> Join(Stream& stream, const grpc::ServerContext& context);

  // Why the caller may have the stream no longer. A changed and sufficient role is taken up.
  std::optional<session::Refusal> WhyStruckOut(const identity::Callers::Known& callers, absl::Time wall);

  const identity::Caller& caller() const { return caller_; }
  const std::string& peer() const { return peer_; }  // gRPC's name of the connection
  uint64_t number() const { return number_; }        // zero: no member
  absl::Time joined() const { return joined_; }

 private:
  std::optional<session::Refusal> FindCaller(const grpc::ServerContext& context);
  std::optional<session::Refusal> TakePlaces(const grpc::ServerContext& context);

  StreamCommons& commons_;
  identity::Caller caller_;
  std::string peer_;
  identity::Account* tenant_place_ = nullptr;  // counts the stream; null: nobody does
  size_t header_bytes_ = 0;
  uint64_t number_ = 0;
  absl::Time joined_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_MEMBERSHIP_H_
