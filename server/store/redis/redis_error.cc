#include "server/store/redis/redis_error.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

absl::string_view KindOf(absl::string_view error) { return error.substr(0, error.find(' ')); }

}  // namespace

absl::Status FromRedisError(absl::string_view error) {
  const absl::string_view kind = KindOf(error);
  // NOROWS is a word of our own scripts: the HSET before the script was refused.
  if (kind == "OOM" || kind == "NOROWS")
    return absl::ResourceExhaustedError(absl::StrCat(
        "Redis has no room; raise its maxmemory, delete sessions, or let session_ttl end silent sessions: ", error));
  if (kind == "WRONGTYPE") return absl::DataLossError(absl::StrCat("not what this server wrote: ", error));
  if (kind == "NOAUTH" || kind == "WRONGPASS") return absl::UnauthenticatedError(error);
  if (kind == "NOPERM") return absl::PermissionDeniedError(error);
  return absl::UnavailableError(error);
}

bool IsNoScript(absl::string_view error) { return KindOf(error) == "NOSCRIPT"; }

bool EndsConnection(absl::string_view error) {
  constexpr std::array<absl::string_view, 5> kKinds = {"READONLY", "LOADING", "MASTERDOWN", "FENCED", "NOAUTH"};
  return std::find(kKinds.begin(), kKinds.end(), KindOf(error)) != kKinds.end();
}

}  // namespace aaren::store
