#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_INTAKE_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_INTAKE_H_

// The Intake takes a session's items: checks and queues tokens, keeps tokens for a session on its way until the session
// is here, and takes Closes. A Tokens item is valid as a whole or refused as a whole.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <optional>

#include "server/sessions/session/peer.h"
#include "server/sessions/session/session.h"
#include "server/sessions/shard/arrival/arrival.h"
#include "server/sessions/shard/arrival/deferred_items.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"

namespace aaren::shard {

class Intake {
 public:
  // The arguments outlive the Intake.
  Intake(Core& core, Residents& residents, Steps& steps, Departures& departures)
      : core_(core), residents_(residents), steps_(steps), departures_(departures), deferred_(steps.queue()) {}

  // Queues the tokens, acknowledges duplicates, or refuses the item. REQUIRES: the session is not closing.
  void Accept(session::Session& session, const session::TokensView& tokens);

  // Refuses tokens for a handle without a session.
  void RefuseUnknown(session::Peer& peer, const session::TokensView& tokens);

  // Closes the session once everything before the Close is answered.
  void Close(session::Session& session, const DeferredClose& close);

  // Defer keeps tokens for a session on its way, Replay hands the kept tokens and a Close to the session, and Drop
  // forgets the tokens. REQUIRES: the arrival has a stream.
  void Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels);
  void Replay(session::Session& session, Arrival& arrival);
  void Drop(Arrival& arrival);

  // Forgets the tokens, and counts the tokens as refused: the client sends the tokens again.
  void Return(Arrival& arrival) { core_.counters.tokens_refused.Add(deferred_.Forget(arrival)); }

  // True if a stream has sent tokens since the last call.
  bool TakeNewTokens() { return std::exchange(new_tokens_, false); }

  uint64_t deferred_tokens() const { return deferred_.tokens(); }

 private:
  void AcceptDuplicate(session::Session& session, uint64_t count);
  void Refuse(session::Session& session, session::Refusal refusal, const session::TokensView& tokens);
  void NoteRefused(trace::Mark trace, const session::Refusal& refusal);

  Core& core_;
  Residents& residents_;
  Steps& steps_;
  Departures& departures_;
  DeferredItems deferred_;
  bool new_tokens_ = false;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_INTAKE_H_
