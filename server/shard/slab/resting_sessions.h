#ifndef AAREN_SERVER_SHARD_SLAB_RESTING_SESSIONS_H_
#define AAREN_SERVER_SHARD_SLAB_RESTING_SESSIONS_H_

// The sessions of a shard that no stream has open and that are saved: the first to leave when rows are scarce, and
// those that expire. They stand by model, in the order in which they came to rest. Threading: belongs to one shard.

#include <cstdint>
#include <deque>

#include "server/models/loaded_model.h"
#include "server/session/session.h"
#include "server/session/table/session_list.h"

namespace aaren::shard {

class RestingSessions {
 public:
  // REQUIRES of PushBack: it is in no list.
  void PushBack(session::Session& session) { Of(*session.model).PushBack(session); }
  void Remove(session::Session& session) { Of(*session.model).Remove(session); }

  // The one that rests longest, of a model or of any. Null: there is none.
  session::Session* Oldest(const models::LoadedModel* model);

  // Any that was not used since. Null: there is none.
  session::Session* IdleSince(int64_t active_ms);

 private:
  session::SessionList& Of(const models::LoadedModel& model);

  std::deque<session::SessionList> lists_;  // by LoadedModel::index
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_SLAB_RESTING_SESSIONS_H_
