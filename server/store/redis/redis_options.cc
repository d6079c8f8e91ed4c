#include "server/store/redis/redis_options.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::store {
namespace {

constexpr size_t kMaxPrefixBytes = 64;  // the prefix is stored with every session
constexpr absl::Duration kLeastTimeout = absl::Milliseconds(10);

}  // namespace

absl::StatusOr<std::vector<address::Address>> ParseRedisAddresses(absl::string_view text) {
  std::vector<address::Address> addresses;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    absl::StatusOr<address::Address> address = address::Address::Parse(absl::StripAsciiWhitespace(part));
    if (!address.ok()) return absl::InvalidArgumentError(absl::StrCat("redis: ", address.status().message()));
    if (address->host.empty() || address->port == 0) {
      return absl::InvalidArgumentError(absl::StrCat("redis: '", part, "' names no host and port to connect to"));
    }
    addresses.push_back(*std::move(address));
  }
  return addresses;
}

absl::Status CheckRedisOptions(const RedisOptions& options) {
  const std::string& prefix = options.prefix;
  const bool printable =
      std::all_of(prefix.begin(), prefix.end(), [](unsigned char c) { return absl::ascii_isgraph(c); });
  // Without a prefix the keys could meet the keys of other programs.
  if (prefix.empty() || prefix.size() > kMaxPrefixBytes || !printable) {
    return absl::InvalidArgumentError(absl::StrCat("redis_prefix: '", prefix, "' is not 1 to ", kMaxPrefixBytes,
                                                   " bytes of printable ASCII without a space"));
  }
  if (options.tls.cert.empty() != options.tls.key.empty()) {
    return absl::InvalidArgumentError("redis_cert, redis_key: one needs the other");
  }
  if (!options.tls.cert.empty() && !options.tls.enabled()) {
    return absl::InvalidArgumentError("redis_cert: needs redis_ca, as without it connections are in plain text");
  }
  if (options.timeout < kLeastTimeout) {
    return absl::InvalidArgumentError(absl::StrCat("redis_timeout: ", absl::FormatDuration(options.timeout),
                                                   " is less than ", absl::FormatDuration(kLeastTimeout)));
  }
  return absl::OkStatus();
}

}  // namespace aaren::store
