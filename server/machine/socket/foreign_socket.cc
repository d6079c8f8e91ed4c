#include "server/machine/socket/foreign_socket.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace aaren::sockets {
namespace {

// 0 if the descriptor is closed or no socket.
uint64_t CookieOf(int descriptor) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace

ForeignSocket::ForeignSocket(int descriptor) : descriptor_(descriptor), cookie_(CookieOf(descriptor)) {}

bool ForeignSocket::Lasts() const { return CookieOf(descriptor_) == cookie_; }

// A shutdown would leave gRPC's unread bytes, and a peer that does not read would not notice. gRPC may close
// its descriptor at any moment, and the next connection may get the number; a duplicate keeps meaning this
// socket.
bool ForeignSocket::Reset() const {
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return false;
  const bool lasts = CookieOf(copy) == cookie_;
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  if (lasts && connect(copy, &nobody, sizeof(nobody)) != 0) shutdown(copy, SHUT_RDWR);
  close(copy);
  return lasts;
}

Traffic ForeignSocket::traffic() const {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || !Lasts()) return {};
  return {.packets = info.tcpi_data_segs_in, .bytes = info.tcpi_bytes_received, .answers = info.tcpi_data_segs_out};
}

}  // namespace aaren::sockets
