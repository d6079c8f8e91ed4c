#include "client/cpp/channel/proxy.h"

#include <cstdlib>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace aaren::client {
namespace {

// dns:///host:port, [::1]:port, host:port.
absl::string_view HostOf(absl::string_view target) {
  const size_t scheme = target.rfind('/');
  if (scheme != absl::string_view::npos) target.remove_prefix(scheme + 1);
  for (const absl::string_view prefix : {"dns:", "ipv4:", "ipv6:"}) absl::ConsumePrefix(&target, prefix);
  if (absl::ConsumePrefix(&target, "[")) return target.substr(0, target.find(']'));
  return target.substr(0, target.rfind(':'));
}

absl::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool IsExcepted(absl::string_view host) {
  const absl::string_view grpc = Variable("no_grpc_proxy");
  const std::vector<absl::string_view> hosts =
      // gRPC reads no_proxy only without no_grpc_proxy.
      absl::StrSplit(grpc.empty() ? Variable("no_proxy") : grpc, ',', absl::SkipEmpty());
  for (const absl::string_view entry : hosts) {
    // gRPC compares the ends of names: no_proxy=example.com also excepts api.example.com.
    if (absl::EndsWith(host, absl::StripAsciiWhitespace(entry))) return true;
  }
  return false;
}

}  // namespace

bool IsLoopback(absl::string_view target) {
  if (absl::StartsWith(target, "unix:") || absl::StartsWith(target, "unix-abstract:")) return true;
  const absl::string_view host = HostOf(target);
  const bool four = absl::StartsWith(host, "127.") && host.find_first_not_of("0123456789.") == absl::string_view::npos;
  return four || host == "::1" || absl::EqualsIgnoreCase(host, "localhost");
}

std::string ProxyVariable(absl::string_view target) {
  if (IsLoopback(target) || IsExcepted(HostOf(target))) return "";
  // The order is gRPC's: the first variable that is set counts.
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    if (!Variable(name).empty()) return name;
  }
  return "";
}

absl::Status NameProxy(const absl::Status& status, absl::string_view target) {
  const std::string variable = absl::IsUnavailable(status) ? ProxyVariable(target) : "";
  if (variable.empty()) return status;
  absl::Status named(status.code(), absl::StrCat(status.message(), " (through the proxy of ", variable,
                                                 "; no_proxy=HOST goes without)"));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { named.SetPayload(url, payload); });
  return named;
}

}  // namespace aaren::client
