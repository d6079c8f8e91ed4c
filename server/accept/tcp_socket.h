#ifndef AAREN_SERVER_ACCEPT_TCP_SOCKET_H_
#define AAREN_SERVER_ACCEPT_TCP_SOCKET_H_

// What the kernel knows of a TCP socket. Threading: free functions.

#include <cstdint>

namespace aaren::accept {

// The kernel's own number of a socket, which it gives to no other; 0 if the descriptor is no socket, or closed.
uint64_t CookieOf(int socket);

// Whether both sides may still send.
bool IsEstablished(int socket);

// Whether something was sent to its peer, or nothing ever will be.
bool IsAnswered(int socket);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_TCP_SOCKET_H_
