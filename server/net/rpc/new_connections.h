#ifndef AAREN_SERVER_NET_RPC_NEW_CONNECTIONS_H_
#define AAREN_SERVER_NET_RPC_NEW_CONNECTIONS_H_

// NewConnections are accepted sockets on their way to gRPC. The thread that gives gRPC a socket reads the connection's
// bytes at once, and goes on while more come: hence a few sockets a round, with the baton lent.
//
// Threading: the holder of the baton only.

#include <deque>
#include <memory>

#include "absl/time/time.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "server/net/rpc/baton.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class NewConnections {
 public:
  // `credentials`: of each connection to the server that the builder builds.
  NewConnections(grpc::ServerBuilder& builder, std::shared_ptr<grpc::ServerCredentials> credentials)
      : acceptor_(builder.experimental().AddExternalConnectionAcceptor(
            grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, std::move(credentials))) {}

  // Owns a nonblocking socket until gRPC does.
  void Add(int socket) { sockets_.push_back(socket); }

  // Gives gRPC sockets for about `at_most`. True if there was any.
  bool Give(absl::Duration at_most, Baton& baton, const session::Clock& clock);

  bool empty() const { return sockets_.empty(); }

 private:
  const std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::deque<int> sockets_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_NEW_CONNECTIONS_H_
