#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_OPEN_OPEN_CHECK_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_OPEN_OPEN_CHECK_H_

// The conditions under which an Open may have a session. All are checked before anything changes, so that a refused
// Open does not disturb the session's writer.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/session/peer.h"
#include "server/store/store.h"

namespace aaren::registrar {

// Reasons to refuse a request that need no look at the session.
std::optional<session::Refusal> CheckRequest(const session::OpenRequest& request, uint32_t max_channels);

// InvalidField unless 1-128 bytes of printable ASCII.
std::optional<session::Refusal> CheckSessionId(absl::string_view field, absl::string_view id);

// Reasons to refuse an existing session to the request. `epoch` and `incarnation` are the session's.
std::optional<session::Refusal> CheckExisting(const session::OpenRequest& request, const models::LoadedModel& model,
                                              uint32_t channels, uint64_t epoch, uint64_t incarnation);

// The tier of `model` that a new session gets: an extended tier where the request needs more than plain rows.
models::ModelRef TierOf(const session::OpenRequest& request, const models::ModelTable& models, models::ModelRef model);

// Reasons to refuse a new session to the request.
std::optional<session::Refusal> CheckCreation(const session::OpenRequest& request, const models::LoadedModel& model);

// The loaded model that made a state. Refused (STATE_SCHEMA) if no model has the same digest, tier and numerics.
session::Outcome<models::ModelRef> ModelOfState(const models::ModelTable& models, absl::string_view id,
                                                const store::SessionOrigin& origin);

// Refused unless `rows` are `channels` rows of the model after at most `seq` tokens each.
std::optional<session::Refusal> CheckRows(const models::LoadedModel& model, uint32_t channels, uint64_t seq,
                                          absl::string_view rows);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_OPEN_OPEN_CHECK_H_
