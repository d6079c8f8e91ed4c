#include "server/accept/peer_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace aaren::accept {
namespace {

constexpr ptrdiff_t kNetworkBytes = 8;  // network part of an IPv6 address, its owner's alone

std::string NameOf(const in_addr& host, in_port_t port) {
  char text[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &host, text, sizeof(text));
  return absl::StrCat(text, ":", ntohs(port));
}

// An IPv4 address behind an IPv6 socket gets its IPv4 name.
std::string NameOf(const in6_addr& host, in_port_t port) {
  if (IN6_IS_ADDR_V4MAPPED(&host)) {
    in_addr inner;
    std::memcpy(&inner, host.s6_addr + 12, sizeof(inner));
    return NameOf(inner, port);
  }
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, &host, text, sizeof(text));
  return absl::StrCat("[", text, "]:", ntohs(port));
}

}  // namespace

std::string PeerName(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return NameOf(v4.sin_addr, v4.sin_port);
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return NameOf(v6.sin6_addr, v6.sin6_port);
}

std::string NormalPeer(absl::string_view peer) {
  if (!absl::ConsumePrefix(&peer, "ipv4:")) absl::ConsumePrefix(&peer, "ipv6:");
  std::string name = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}, {"%5b", "["}, {"%5d", "]"}, {"%25", "%"}});
  const size_t zone = name.find('%'), end = name.find(']');
  if (zone < end && end != std::string::npos) name.erase(zone, end - zone);
  return name;
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

}  // namespace aaren::accept
