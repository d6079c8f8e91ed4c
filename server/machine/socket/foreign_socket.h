#ifndef AAREN_SERVER_MACHINE_SOCKET_FOREIGN_SOCKET_H_
#define AAREN_SERVER_MACHINE_SOCKET_FOREIGN_SOCKET_H_

// A ForeignSocket is a connection of which gRPC owns the descriptor, and may close the descriptor at any time. A
// ForeignSocket therefore knows the connection by the descriptor and by the cookie: the kernel's own number of a
// socket, never given to another socket. Threading: a plain value.

#include <cstdint>

namespace aaren::sockets {

// Packets with data on a connection, and the bytes that have come.
struct Traffic {
  uint64_t packets = 0, bytes = 0;
  uint64_t answers = 0;  // packets with data to the peer
};

class ForeignSocket {
 public:
  explicit ForeignSocket(int descriptor);  // REQUIRES: the connection has not ended

  bool Lasts() const;  // true while the descriptor still belongs to this connection

  // Ends the connection at once, dropping unread and unsent bytes, and tells the peer. False if the connection has
  // ended already.
  bool Reset() const;

  Traffic traffic() const;  // zeros if the connection has ended

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  uint64_t cookie_;
};

}  // namespace aaren::sockets

#endif  // AAREN_SERVER_MACHINE_SOCKET_FOREIGN_SOCKET_H_
