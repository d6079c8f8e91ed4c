#ifndef AAREN_CLIENT_CPP_MESSAGES_VALUES_H_
#define AAREN_CLIENT_CPP_MESSAGES_VALUES_H_

// The protocol's messages as the client's own values, and back. Tokens and forecasts are read in place, and copied only
// by TokenLog. A value made from a server's message is possible, or the result is INTERNAL and names the field, the
// number and `server`. Threading: functions.

#include "aaren/client/listener.h"
#include "aaren/client/model_info.h"
#include "aaren/client/models.h"
#include "aaren/client/session_options.h"
#include "aaren/client/sessions.h"
#include "aaren/v1/models.pb.h"
#include "aaren/v1/sessions.pb.h"
#include "aaren/v1/stream.pb.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::client {

inline constexpr uint32_t kProtocolVersion = 1;

absl::StatusOr<ModelInfo> ToValue(const v1::ModelInfo& message, absl::string_view server);
absl::StatusOr<ModelList> ToValue(const v1::ListModelsResponse& message, absl::string_view server);
absl::StatusOr<Opened> ToValue(const v1::Opened& message, absl::string_view server);
absl::StatusOr<Overdue> ToValue(const v1::Overdue& message, absl::string_view server);
absl::StatusOr<SessionInfo> ToValue(const v1::SessionInfo& message, absl::string_view server);
absl::StatusOr<SessionPage> ToValue(const v1::ListSessionsResponse& message, absl::string_view server);
absl::StatusOr<Snapshot> ToValue(v1::ExportSessionResponse message, absl::string_view server);

// The limits of a Welcome, with defaults for limits of 0.
absl::StatusOr<v1::Limits> ToLimits(const v1::Welcome& message, absl::string_view server);

v1::Open::Mode ToMessage(OpenMode mode);
v1::OutputOptions ToMessage(const OutputOptions& output);
v1::EventScale ToMessage(const EventScale& scale);
v1::RegularTimes ToMessage(const RegularTimes& times);
v1::Open::Durability ToMessage(Durability durability);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_VALUES_H_
