#ifndef AAREN_SERVER_SESSION_RECORD_H_
#define AAREN_SERVER_SESSION_RECORD_H_

// Between a session's state and what the store holds of it.

#include <cstdint>
#include <string>

#include "server/models/model_table.h"
#include "server/session/session_state.h"
#include "server/store/store.h"

namespace aaren {

SessionOrigin OriginOf(const Footprint& footprint);

// The record of a session without saves.
SessionRecord RecordOf(const std::string& key, const SessionState& state);

// The newest save: its rows and clock. The empty row if there is none.
SavedRows NewestSave(SessionRecord& record, const LoadedModel& model);

// `channels` rows that have seen nothing.
std::string EmptyRows(const LoadedModel& model, uint32_t channels);

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_RECORD_H_
