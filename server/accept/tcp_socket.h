#ifndef AAREN_SERVER_ACCEPT_TCP_SOCKET_H_
#define AAREN_SERVER_ACCEPT_TCP_SOCKET_H_

// The kernel's knowledge of a TCP socket. Threading: free functions.

#include <cstdint>

namespace aaren::accept {

// The kernel's own number of a socket, never given twice; 0 if the descriptor is closed or no socket.
uint64_t CookieOf(int socket);

// True while both sides may still send.
bool IsEstablished(int socket);

// True once something was sent to the peer, or nothing ever will be.
bool IsAnswered(int socket);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_TCP_SOCKET_H_
