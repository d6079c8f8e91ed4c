#ifndef AAREN_SERVER_MACHINE_SOCKET_SOCKET_OPTIONS_H_
#define AAREN_SERVER_MACHINE_SOCKET_SOCKET_OPTIONS_H_

// The options of a TCP connection of the server: small writes leave at once, and a peer that vanishes without a word is
// found within two and a half minutes.

#include <cstdint>

namespace aaren::sockets {

// `number` of the connection: connections probe silent peers at different times. Thousands of probes sent at once would
// mostly be lost.
void SetOptions(int socket, uint64_t number);

}  // namespace aaren::sockets

#endif  // AAREN_SERVER_MACHINE_SOCKET_SOCKET_OPTIONS_H_
