#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_RESTING_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_RESTING_SESSIONS_H_

// RestingSessions are the sessions of a shard that are saved and that no stream has open: the first to leave when rows
// are scarce, and the sessions that expire. The sessions stand by model, in the order in which they came to rest.
// Threading: belongs to one shard.

#include <cstdint>
#include <deque>

#include "server/sessions/models/loaded_model.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/table/session_list.h"

namespace aaren::session {

class RestingSessions {
 public:
  // REQUIRES of PushBack: the session is in no list.
  void PushBack(Session& session) { Of(*session.model).PushBack(session); }
  void Remove(Session& session) { Of(*session.model).Remove(session); }

  // The session that has rested longest, of a model or of any model. Null: no session rests.
  Session* Oldest(const models::LoadedModel* model);

  // A session that was not used since. Null: every session was.
  Session* IdleSince(int64_t active_ms);

 private:
  SessionList& Of(const models::LoadedModel& model);

  std::deque<SessionList> lists_;  // by LoadedModel::index
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_RESTING_SESSIONS_H_
