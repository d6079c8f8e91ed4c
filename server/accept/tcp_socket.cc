#include "server/accept/tcp_socket.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

namespace aaren::accept {
namespace {

constexpr int kEstablished = 1;  // a value of tcp_info.tcpi_state; linux/tcp.h has no name for the value

std::optional<tcp_info> InfoOf(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return info;
}

}  // namespace

uint64_t CookieOf(int socket) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

bool IsEstablished(int socket) {
  const std::optional<tcp_info> info = InfoOf(socket);
  return info.has_value() && info->tcpi_state == kEstablished;
}

bool IsAnswered(int socket) {
  const std::optional<tcp_info> info = InfoOf(socket);
  return !info.has_value() || info->tcpi_data_segs_out > 0;
}

}  // namespace aaren::accept
