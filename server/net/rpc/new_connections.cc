#include "server/net/rpc/new_connections.h"

namespace aaren::rpc {

bool NewConnections::Give(absl::Duration at_most, Baton& baton, const session::Clock& clock) {
  if (sockets_.empty()) return false;
  const absl::Time end = clock.Now() + at_most;
  do {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = sockets_.front();
    sockets_.pop_front();
    baton.Lend(absl::ZeroDuration(), [&] { acceptor_->HandleNewConnection(&connection); });
  } while (!sockets_.empty() && clock.Now() < end);
  return true;
}

}  // namespace aaren::rpc
