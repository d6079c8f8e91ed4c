#ifndef AAREN_CLIENT_CPP_MESSAGES_ADMIN_VALUES_H_
#define AAREN_CLIENT_CPP_MESSAGES_ADMIN_VALUES_H_

// The answers of the service Admin as the client's own values: as in values.h, INTERNAL for an impossible number.
// Threading: functions.

#include "aaren/client/admin.h"
#include "aaren/v1/admin.pb.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::client {

absl::StatusOr<ServerSettings> ToValue(const v1::GetSettingsResponse& message, absl::string_view server);
absl::StatusOr<std::vector<ShardInfo>> ToValue(const v1::ListShardsResponse& message, absl::string_view server);
absl::StatusOr<StreamPage> ToValue(const v1::ListStreamsResponse& message, absl::string_view server);
absl::StatusOr<LiveSessionPage> ToValue(const v1::ListTenantSessionsResponse& message, absl::string_view server);
absl::StatusOr<CpuProfile> ToValue(const v1::ProfileResponse& message, absl::string_view server);
absl::StatusOr<std::vector<WatchedSession>> ToValue(const v1::WatchSessionResponse& message, absl::string_view server);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_ADMIN_VALUES_H_
