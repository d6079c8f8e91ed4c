#include "server/machine/socket/socket_options.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace aaren::sockets {
namespace {

// The kernel probes a peer that has been silent for kSilentSeconds, three times. Each connection adds up to
// kSpreadSeconds of its own.
constexpr int kSilentSeconds = 60, kSpreadSeconds = 60;
constexpr int kProbeSeconds = 10, kProbes = 3;
// Unacknowledged data ends a connection after this time. The kernel applies the same time to its probes.
constexpr int kUserTimeoutMs = 1000 * (kSilentSeconds + kSpreadSeconds + kProbes * kProbeSeconds);

void Set(int socket, int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof(value)); }

}  // namespace

void SetOptions(int socket, uint64_t number) {
  Set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  Set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
  Set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(socket, IPPROTO_TCP, TCP_KEEPIDLE, kSilentSeconds + static_cast<int>(number % kSpreadSeconds));
  Set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
  Set(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
}

}  // namespace aaren::sockets
