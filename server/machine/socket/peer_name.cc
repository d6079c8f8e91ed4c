#include "server/machine/socket/peer_name.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace aaren::sockets {
namespace {

constexpr ptrdiff_t kNetworkBytes = 8;  // network part of an IPv6 address, its owner's alone

}  // namespace

std::string PeerName(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "";
  }
  const std::string plain(absl::StripPrefix(std::string(host, std::strcspn(host, "%")), "::ffff:"));
  return absl::StrContains(plain, ':') ? absl::StrCat("[", plain, "]:", port) : absl::StrCat(plain, ":", port);
}

std::string HostOf(absl::string_view name) {
  const absl::string_view host = name.substr(0, name.rfind(':'));
  in6_addr address;
  const std::string inner(absl::StripSuffix(absl::StripPrefix(host, "["), "]"));
  if (inner.size() == host.size() || inet_pton(AF_INET6, inner.c_str(), &address) != 1) return std::string(host);
  if (IN6_IS_ADDR_LOOPBACK(&address)) return std::string(host);
  std::fill(std::begin(address.s6_addr) + kNetworkBytes, std::end(address.s6_addr), uint8_t{0});
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, &address, text, sizeof(text));
  return absl::StrCat("[", text, "]");
}

}  // namespace aaren::sockets
