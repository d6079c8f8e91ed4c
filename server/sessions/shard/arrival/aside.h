#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ASIDE_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ASIDE_H_

// Aside admits tokens to the queue, and makes room in a full queue where tokens wait for a client's word. The word, a
// delivered_seq, comes in a Tokens item like all others, so tokens that wait for the word must not keep the stream from
// being read. The shard sets such tokens aside: refuses them behind the held reply, and the client sends them again.
//
// A demoted session may wait for the row of a session that waits for such a word. So while any session waits for a
// word, tokens of demoted sessions are set aside, too. While no session does, all keep their tokens, and streams wait.
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
  // The arguments outlive this.
  Aside(Core& core, Residents& residents, Steps& steps, Handles& handles, Intake& intake, Tiers& tiers)
      : core_(core), residents_(residents), steps_(steps), handles_(handles), intake_(intake), tiers_(tiers) {}

  // True if the stream may send a Tokens item of about so many bytes. Otherwise Peer::OnRoom tells when to ask again.
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
