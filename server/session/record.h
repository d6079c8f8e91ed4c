#ifndef AAREN_SERVER_SESSION_RECORD_H_
#define AAREN_SERVER_SESSION_RECORD_H_

// From a session's state (session_state.h) to its record in the store (store/store.h) and back.
//
// A record has up to two saves of a session, each with its rows and clock: one to which the client may go back, and a
// newer one. A session that never was saved has none, and its rows are then empty ones, which the model makes anew.
// Threading: plain functions.

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
