#include "server/machine/address/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace aaren::address {
namespace {

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// NotFound naming the host.
absl::StatusOr<Found> Find(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &found);
  if (error == 0) return Found(found, freeaddrinfo);
  return absl::NotFoundError(absl::StrCat("host '", address.host, "': ", gai_strerror(error)));
}

absl::Status BindError(int error, const Address& address) {
  const char* why = error == EAFNOSUPPORT ? "no such kind of address on this machine" : std::strerror(error);
  const std::string text = absl::StrCat("cannot listen on ", address.ToString(), ": ", why);
  if (error == EADDRINUSE) return absl::AlreadyExistsError(text);
  if (error == EACCES) return absl::PermissionDeniedError(text);
  return absl::FailedPreconditionError(text);
}

// True if the machine lacks the address or its family: /etc/hosts may give localhost an address of IPv6 where IPv6 is
// off.
bool IsLacking(int error) { return error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT; }

// A listening socket, or -1 with the reason in errno.
int ListenOne(const addrinfo& info, int backlog) {
  const int fd = socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));  // connections in TIME_WAIT are no listeners
  // [::] stands for every address of the machine.
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(info.ai_addr);
  const int v6_only = info.ai_family == AF_INET6 && !IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) ? 1 : 0;
  if (info.ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof(v6_only));
  if (bind(fd, info.ai_addr, info.ai_addrlen) == 0 && listen(fd, backlog) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

void SetPort(addrinfo& info, int port) {
  const in_port_t number = htons(static_cast<in_port_t>(port));
  if (info.ai_family == AF_INET) reinterpret_cast<sockaddr_in*>(info.ai_addr)->sin_port = number;
  if (info.ai_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(info.ai_addr)->sin6_port = number;
}

absl::Status ListenOnAll(addrinfo* found, const Address& address, int backlog, std::vector<int>& sockets) {
  int lacking = EAFNOSUPPORT;
  for (addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (!sockets.empty()) SetPort(*info, PortOf(sockets.front()));
    if (const int socket = ListenOne(*info, backlog); socket >= 0) {
      sockets.push_back(socket);
    } else if (lacking = errno; !IsLacking(lacking)) {
      return BindError(lacking, address);
    }
  }
  return sockets.empty() ? BindError(lacking, address) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<Address> Address::Parse(absl::string_view text) {
  const size_t colon = text.rfind(':');
  Address address;
  if (colon != absl::string_view::npos) address.host = std::string(text.substr(0, colon));
  const bool bracketed = address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']';
  if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  const absl::string_view port = colon == absl::string_view::npos ? "" : text.substr(colon + 1);
  const bool number = absl::SimpleAtoi(port, &address.port) && address.port >= 0 && address.port <= 65535;
  if (!number || address.host.empty() || (!bracketed && address.host.find(':') != std::string::npos)) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not HOST:PORT with a port of 0 .. 65535"));
  }
  return address;
}

std::string Address::ToString() const {
  return host.find(':') == std::string::npos ? absl::StrCat(host, ":", port) : absl::StrCat("[", host, "]:", port);
}

absl::StatusOr<std::vector<int>> ListenOn(const Address& address, int backlog) {
  const absl::StatusOr<Found> found = Find(address);
  if (!found.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen on ", address.ToString(), ": ", found.status().message()));
  }
  std::vector<int> sockets;
  if (absl::Status status = ListenOnAll(found->get(), address, backlog, sockets); !status.ok()) {
    for (const int socket : sockets) close(socket);
    return status;
  }
  return sockets;
}

absl::Status CheckFree(const Address& address) {
  const absl::StatusOr<std::vector<int>> sockets = ListenOn(address, 1);
  if (!sockets.ok()) return sockets.status();
  for (const int socket : *sockets) close(socket);
  return absl::OkStatus();
}

bool Knock(const Address& address) {
  const absl::StatusOr<Found> found = Find(address);
  if (!found.ok()) return false;
  bool heard = false;
  for (const addrinfo* info = found->get(); info != nullptr; info = info->ai_next) {
    const int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    const timeval patience{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));  // the listener may be behind
    heard |= connect(fd, info->ai_addr, info->ai_addrlen) == 0;
    close(fd);
  }
  return heard;
}

bool IsLoopback(const Address& address) {
  const std::string& host = address.host;
  return host == "localhost" || host == "::1" || absl::StartsWith(host, "127.");
}

bool IsForOthers(const Address& address) {
  const std::string& host = address.host;
  return !IsLoopback(address) && !host.empty() && host != "0.0.0.0" && host != "::";
}

int PortOf(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size);
  const in_port_t port = bound.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(bound).sin_port
                                                    : reinterpret_cast<const sockaddr_in6&>(bound).sin6_port;
  return ntohs(port);
}

}  // namespace aaren::address
