#include "tests/e2e/soak/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "grpcpp/create_channel_posix.h"

namespace aaren::soak {
namespace {

// A connected socket, or -1. Addresses are the server's own words: 127.0.0.1:PORT.
int Connect(const std::string& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1)));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

std::unique_ptr<Connection> Connection::Open(const std::string& address) {
  const int fd = Connect(address);
  return fd < 0 ? nullptr : std::unique_ptr<Connection>(new Connection(fd));
}

Connection::Connection(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  channel_ = grpc::CreateInsecureChannelFromFd("soak", fd);
}

Connection::~Connection() {
  channel_.reset();
  close(fd_);
}

void Connection::Cut() { shutdown(fd_, SHUT_RDWR); }

std::string Ask(const std::string& address, const std::string& request) {
  const int fd = Connect(address);
  if (fd < 0) return "";
  std::string answer;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char buffer[16384];
    for (ssize_t n; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return answer;
}

}  // namespace aaren::soak
