#include "server/address/address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace aaren {
namespace {

absl::Status BindError(int error, const Address& address) {
  const std::string text = absl::StrCat("cannot listen on ", address.ToString(), ": ", std::strerror(error));
  if (error == EADDRINUSE) return absl::AlreadyExistsError(text);
  if (error == EACCES) return absl::PermissionDeniedError(text);
  return absl::FailedPreconditionError(text);
}

absl::Status TryBind(const addrinfo& info, const Address& address) {
  const int fd = socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::OkStatus();  // a family this machine lacks; gRPC passes it over as well
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));  // connections in TIME_WAIT are no listeners
  if (info.ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  const int error = bind(fd, info.ai_addr, info.ai_addrlen) == 0 ? 0 : errno;
  close(fd);
  return error == 0 ? absl::OkStatus() : BindError(error, address);
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

absl::Status CheckFree(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen on ", address.ToString(), ": host '", address.host, "': ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (absl::Status status = TryBind(*info, address); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace aaren
