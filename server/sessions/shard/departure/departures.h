#ifndef AAREN_SERVER_SESSIONS_SHARD_DEPARTURE_DEPARTURES_H_
#define AAREN_SERVER_SESSIONS_SHARD_DEPARTURE_DEPARTURES_H_

// Departures are the ways of a session out of a stream (a Close, the end of the stream, a fenced writer) or out of the
// shard (at rest in the store, deleted, lost). A departure drops the session's waiting tokens: the client sends the
// tokens again.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <string>
#include <vector>

#include "server/sessions/registrar/owner.h"
#include "server/sessions/session/session.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/handles/handles.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"

namespace aaren::shard {

// A session or demoted session in a Close by the stream.
struct Closable {
  queue::Attachment* stream;
  session::Handle handle;
  std::string key;
  uint64_t epoch, next_seq, durable_seq;
};

class Departures {
 public:
  // The arguments outlive the Departures.
  Departures(Core& core, Residents& residents, Steps& steps, Handles& handles)
      : core_(core), residents_(residents), steps_(steps), handles_(handles) {}

  // Parts the session from the stream: the session rests here. The caller answers for the handle.
  void Detach(session::Session& session);

  // Takes the session away from the stream and tells the stream. A waiting Close is answered, too. REQUIRES: a stream
  // has the session.
  void TakeAway(session::Session& session, const session::Refusal& refusal, uint64_t expected_seq);

  // Takes the session away, since another writer has the session at `current_epoch`. The caller counts. REQUIRES: a
  // stream has the session.
  void Fence(session::Session& session, uint64_t current_epoch);

  // Ends a session with untrustworthy rows, and tells the session's stream, if any.
  void Lose(session::Session& session, const absl::Status& status);

  // Ends a session taken or deleted by another server.
  void LoseToWriter(session::Session& session, uint64_t current_epoch);

  // Leaves the session to the store. REQUIRES: the store has the whole session, and the session is in a list of resting
  // sessions.
  void LetGo(session::Session& session);

  // Answers the Close, after everything before the Close was answered.
  void FinishClose(session::Session& session, bool delete_session);

  // Asks the registrar to delete a closed session, and answers the Close afterwards.
  void Delete(Closable closable);

  // Takes the session away from the stream, and calls `done` when the store has the session.
  void Evict(const std::string& key, registrar::SessionOwner::Evicted done);

  // Ends the evictions of sessions at rest, and evictions older than five seconds.
  void EndEvictions();

 private:
  // A session to leave for the store once saved.
  struct Eviction {
    std::string key;
    int64_t deadline_ms = 0;
    registrar::SessionOwner::Evicted done;
  };

  void OnDeleted(uint64_t ticket, const session::Outcome<std::monostate>& outcome);
  void EndEviction(Eviction eviction, session::Session* session, bool rests);

  Core& core_;
  Residents& residents_;
  Steps& steps_;
  Handles& handles_;
  std::vector<Eviction> evictions_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_DEPARTURE_DEPARTURES_H_
