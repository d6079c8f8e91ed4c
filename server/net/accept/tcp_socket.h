#ifndef AAREN_SERVER_NET_ACCEPT_TCP_SOCKET_H_
#define AAREN_SERVER_NET_ACCEPT_TCP_SOCKET_H_

// The kernel's knowledge of a TCP socket. Threading: free functions.

#include <cstdint>

namespace aaren::accept {

// Packets with data on a connection, and the bytes that have come.
struct Traffic {
  uint64_t packets = 0, bytes = 0;
  uint64_t answers = 0;  // packets with data to the peer
};

// Zeros if the descriptor is closed or no socket.
Traffic TrafficOf(int socket);

// The kernel's own number of a socket, never given twice; 0 if the descriptor is closed or no socket.
uint64_t CookieOf(int socket);

// True while both sides may still send.
bool IsEstablished(int socket);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_TCP_SOCKET_H_
