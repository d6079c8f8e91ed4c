#include "tests/server/machine/socket/loopback.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace aaren::sockets {

Loopback::Loopback() : peer_(socket(AF_INET, SOCK_STREAM, 0)) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(listener, generic, size) | listen(listener, 1) | getsockname(listener, generic, &size), 0);
  EXPECT_EQ(connect(peer_, generic, size), 0);
  own_ = ::accept(listener, nullptr, nullptr);
  close(listener);
}

Loopback::~Loopback() {
  close(own_);
  close(peer_);
}

void Loopback::Send(size_t bytes) const {
  EXPECT_EQ(send(peer_, std::string(bytes, 'x').data(), bytes, MSG_NOSIGNAL), ssize_t(bytes));
}

void Loopback::Read(size_t bytes) const {
  EXPECT_EQ(recv(own_, std::string(bytes, 'x').data(), bytes, MSG_WAITALL), ssize_t(bytes));
}

}  // namespace aaren::sockets
