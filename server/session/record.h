#ifndef AAREN_SERVER_SESSION_RECORD_H_
#define AAREN_SERVER_SESSION_RECORD_H_

// Between a session's state and what the store holds of it.

#include <cstdint>
#include <string>

#include "server/models/model_table.h"
#include "server/session/session_state.h"
#include "server/store/store.h"

namespace aaren::session {

store::SessionOrigin OriginOf(const models::LoadedModel& model, uint32_t channels);

// The record of a session without saves.
store::SessionRecord RecordOf(const std::string& key, const SessionState& state);

// Where the newest of its saves stands that can be read; 0, as the empty row does, if there is none.
uint64_t NewestSeq(const store::SessionRecord& record);

// The newest save: its rows and clock. The empty row if there is none.
store::SavedRows NewestSave(store::SessionRecord& record, const models::LoadedModel& model);

// `channels` rows that have seen nothing.
std::string EmptyRows(const models::LoadedModel& model, uint32_t channels);

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSION_RECORD_H_
