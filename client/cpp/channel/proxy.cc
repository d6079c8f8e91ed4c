#include "client/cpp/channel/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace aaren::client {
namespace {

// An address of 4 or 16 bytes; empty for a name.
std::string BytesOf(absl::string_view host) {
  const std::string text(host);
  uint8_t bytes[16];
  const auto made = [&](size_t size) { return std::string(reinterpret_cast<const char*>(bytes), size); };
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1) return made(4);
  return inet_pton(AF_INET6, text.c_str(), bytes) == 1 ? made(16) : "";
}

// True if both addresses agree in their first `bits`.
bool Agree(const std::string& a, const std::string& b, int bits) {
  const size_t whole = static_cast<size_t>(bits / 8);
  if (a.size() != b.size() || a.compare(0, whole, b, 0, whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || ((static_cast<uint8_t>(a[whole]) ^ static_cast<uint8_t>(b[whole])) >> (8 - rest)) == 0;
}

bool IsInNetwork(absl::string_view host, absl::string_view network) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(network, absl::MaxSplits('/', 1));
  const std::string address = BytesOf(host);
  int bits;
  return !address.empty() && absl::SimpleAtoi(parts.second, &bits) && bits >= 0 &&
         bits <= 8 * static_cast<int>(address.size()) && Agree(address, BytesOf(parts.first), bits);
}

// Without a port, and without the brackets around an IPv6 address.
absl::string_view WithoutPort(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) return host.substr(0, host.find(']'));
  return std::count(host.begin(), host.end(), ':') == 1 ? host.substr(0, host.find(':')) : host;
}

// The hosts of dns:///host:port, ipv6:[::1]:port, ipv4:10.0.0.1:80,10.0.0.2:80 or host:port.
std::vector<absl::string_view> HostsOf(absl::string_view target) {
  const size_t scheme = target.rfind('/');
  if (scheme != absl::string_view::npos) target.remove_prefix(scheme + 1);
  for (const absl::string_view prefix : {"dns:", "ipv4:", "ipv6:"}) absl::ConsumePrefix(&target, prefix);
  std::vector<absl::string_view> hosts = absl::StrSplit(target, ',');
  for (absl::string_view& host : hosts) host = WithoutPort(host);
  return hosts;
}

absl::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool IsLoopback(absl::string_view host) {
  return IsInNetwork(host, "127.0.0.0/8") || IsInNetwork(host, "::ffff:127.0.0.0/104") ||
         IsInNetwork(host, "::1/128") || absl::EqualsIgnoreCase(host, "localhost") ||
         absl::EndsWithIgnoreCase(host, ".localhost");
}

// gRPC takes an end of a name to be any end, with or without a dot before.
bool Excepts(absl::string_view entry, absl::string_view host) {
  if (entry == "*" || IsInNetwork(host, entry)) return true;
  const absl::string_view named = WithoutPort(entry);
  const std::string address = BytesOf(named);
  if (!address.empty()) return address == BytesOf(host);
  absl::string_view end = named;
  absl::ConsumePrefix(&end, "*");
  return absl::EndsWithIgnoreCase(host, end) || absl::EqualsIgnoreCase(absl::StrCat(".", host), end);
}

bool IsExcepted(absl::string_view host) {
  // gRPC reads no_proxy only without no_grpc_proxy.
  absl::string_view list;
  for (const char* name : {"no_grpc_proxy", "no_proxy", "NO_PROXY"}) {
    if (list.empty()) list = Variable(name);
  }
  for (absl::string_view entry : absl::StrSplit(list, absl::ByAnyChar(", "), absl::SkipWhitespace())) {
    if (Excepts(absl::StripAsciiWhitespace(entry), host)) return true;
  }
  return false;
}

// The HOST:PORT of http://user:password@HOST:PORT/. gRPC leaves any other proxy alone.
std::string AddressOf(absl::string_view url) {
  if (!absl::StartsWithIgnoreCase(url, "http://")) return "";
  url.remove_prefix(strlen("http://"));
  url = url.substr(0, url.find('/'));
  return std::string(url.substr(url.rfind('@') + 1));
}

}  // namespace

std::optional<Proxy> FindProxy(absl::string_view target) {
  if (absl::StartsWith(target, "unix:") || absl::StartsWith(target, "unix-abstract:")) return std::nullopt;
  const std::vector<absl::string_view> hosts = HostsOf(target);
  const auto direct = [](absl::string_view host) { return IsLoopback(host) || IsExcepted(host); };
  if (std::all_of(hosts.begin(), hosts.end(), direct)) return std::nullopt;
  // The order is gRPC's: the first variable that is set counts, even if empty.
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    if (std::getenv(name) == nullptr) continue;
    const std::string address = AddressOf(Variable(name));
    if (address.empty()) return std::nullopt;
    return Proxy{.variable = name, .address = address};
  }
  return std::nullopt;
}

absl::Status NameProxy(const absl::Status& status, absl::string_view target) {
  if (!absl::IsUnavailable(status)) return status;
  const std::optional<Proxy> proxy = FindProxy(target);
  if (!proxy) return status;
  absl::Status named(status.code(), absl::StrCat(status.message(), " (through the proxy ", proxy->address, " of ",
                                                 proxy->variable, "; no_proxy=HOST goes without)"));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { named.SetPayload(url, payload); });
  return named;
}

}  // namespace aaren::client
