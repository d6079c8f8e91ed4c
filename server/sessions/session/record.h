#ifndef AAREN_SERVER_SESSIONS_SESSION_RECORD_H_
#define AAREN_SERVER_SESSIONS_SESSION_RECORD_H_

// From a session's state (session_state.h) to its record in the store (store/store.h) and back.
//
// A record has up to two saves of a session, each with rows and clock: a save to which the client may go back, and a
// newer save. A session without a save begins with empty rows, which the model makes anew. Threading: plain functions.

#include <cstdint>
#include <string>

#include "server/sessions/models/model_table.h"
#include "server/sessions/session/session_state.h"
#include "server/store/store.h"

namespace aaren::session {

store::SessionOrigin OriginOf(const models::LoadedModel& model, uint32_t channels);

// The record of a session without saves.
store::SessionRecord RecordOf(const std::string& key, const SessionState& state);

// The seq of the newest save that can be read; 0, the seq of the empty row, if there is none.
uint64_t NewestSeq(const store::SessionRecord& record);

// The newest save; the empty row if there is none.
store::SavedRows NewestSave(store::SessionRecord& record, const models::LoadedModel& model);

// `channels` rows without any token.
std::string EmptyRows(const models::LoadedModel& model, uint32_t channels);

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_RECORD_H_
