#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_RESTING_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_RESTING_SESSIONS_H_

// RestingSessions are a shard's saved sessions without a stream. Resting sessions leave first when rows are scarce, and
// expire. The sessions stand by model, in the order of coming to rest.
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

  // The longest resting session, of a model or of any model. Null: no session rests.
  Session* Oldest(const models::LoadedModel* model);

  // A session unused since `active_ms`. Null: every session was used.
  Session* IdleSince(int64_t active_ms);

 private:
  SessionList& Of(const models::LoadedModel& model);

  std::deque<SessionList> lists_;  // by LoadedModel::index
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_RESTING_SESSIONS_H_
