#include "server/net/accept/tcp_socket.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace aaren::accept {
namespace {

constexpr int kEstablished = 1;  // a value of tcp_info.tcpi_state; linux/tcp.h has no name for the value

tcp_info InfoOf(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info : tcp_info{};
}

}  // namespace

Traffic TrafficOf(int socket) {
  const tcp_info info = InfoOf(socket);
  return {.packets = info.tcpi_data_segs_in, .bytes = info.tcpi_bytes_received, .answers = info.tcpi_data_segs_out};
}

uint64_t CookieOf(int socket) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

bool IsEstablished(int socket) { return InfoOf(socket).tcpi_state == kEstablished; }

}  // namespace aaren::accept
