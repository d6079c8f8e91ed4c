#include "server/net/accept/peer_name.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace aaren::accept {

std::string PeerName(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "";
  }
  std::pair<absl::string_view, absl::string_view> name = absl::StrSplit(host, absl::MaxSplits('%', 1));  // and the zone
  absl::ConsumePrefix(&name.first, "::ffff:");
  return absl::StrContains(name.first, ':') ? absl::StrCat("[", name.first, "]:", port)
                                            : absl::StrCat(name.first, ":", port);
}

std::string HostOf(absl::string_view name) {
  const std::string host(name.substr(0, name.rfind(':')));
  absl::string_view inner = host;
  in6_addr address;
  if (!absl::ConsumePrefix(&inner, "[") || !absl::ConsumeSuffix(&inner, "]") ||
      inet_pton(AF_INET6, std::string(inner).c_str(), &address) != 1 || IN6_IS_ADDR_LOOPBACK(&address)) {
    return host;
  }
  std::fill(std::begin(address.s6_addr) + 8, std::end(address.s6_addr), uint8_t{0});
  char text[INET6_ADDRSTRLEN];
  return absl::StrCat("[", inet_ntop(AF_INET6, &address, text, sizeof(text)), "]");
}

}  // namespace aaren::accept
