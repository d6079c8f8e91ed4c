#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ASIDE_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ASIDE_H_

// Aside admits tokens to the queue, and makes room in a full queue where tokens wait for a client's delivered_seq.
// A delivered_seq comes in an ordinary Tokens item, so a stream must be read even while its tokens wait. The shard sets
// waiting tokens aside: refuses the tokens behind the held reply, and the client sends the tokens again.
//
// A demoted session may wait for the row of a session waiting for a delivered_seq. So while any session waits for a
// delivered_seq, tokens of demoted sessions are set aside, too. Otherwise all sessions keep their tokens, and streams
// wait.
//
// Threading: belongs to one shard.

#include <cstddef>

#include "server/sessions/queue/attachment.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/shard/arrival/intake.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/handles/handles.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"
#include "server/sessions/shard/tiers/tiers.h"

namespace aaren::shard {

class Aside {
 public:
  // The arguments outlive the Aside.
  Aside(Core& core, Residents& residents, Steps& steps, Handles& handles, Intake& intake, Tiers& tiers)
      : core_(core), residents_(residents), steps_(steps), handles_(handles), intake_(intake), tiers_(tiers) {}

  // True if the stream may send a Tokens item of about `bytes` bytes. Otherwise Peer::OnRoom tells when to ask again.
  bool Admits(session::Peer& peer, size_t bytes);

 private:
  bool AnythingNew();
  void MakeRoom(const queue::Attachment& stream, size_t needed);
  void SetAside(session::Session& session);
  void SetPromotionsAside(const queue::Attachment& stream, size_t needed, bool own);
  bool MayMakeRoom(const Promotion& promotion, const queue::Attachment& stream, bool own) const;

  Core& core_;
  Residents& residents_;
  Steps& steps_;
  Handles& handles_;
  Intake& intake_;
  Tiers& tiers_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ASIDE_H_
