#ifndef AAREN_SERVER_SESSIONS_QUEUE_TOKEN_QUEUE_H_
#define AAREN_SERVER_SESSIONS_QUEUE_TOKEN_QUEUE_H_

// The TokenQueue has the flows of a shard's sessions. Three parts decide about flows: Turns grants the next step,
// QueueRoom bounds the waiting bytes, and ReplyHolds has the replies held for saves.
//
//   PushTokens ──► a flow ──► Turns::Grant ──► a step ──► TakeTokens ──► EndStep: the flow ends, or waits for a turn
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/flow.h"
#include "server/sessions/queue/queue_room.h"
#include "server/sessions/queue/reply_holds.h"
#include "server/sessions/queue/turns.h"
#include "server/sessions/session/session.h"

namespace aaren::queue {

class TokenQueue {
 public:
  // `max_bytes`: of waiting items, and of held replies. `tracer` outlives the queue; null: no message is traced.
  explicit TokenQueue(size_t max_bytes, trace::Tracer* tracer = nullptr)
      : tracer_(tracer), room_(max_bytes), replies_(max_bytes), turns_(replies_) {}

  QueueRoom& room() { return room_; }
  const QueueRoom& room() const { return room_; }
  ReplyHolds& replies() { return replies_; }
  const ReplyHolds& replies() const { return replies_; }
  Turns& turns() { return turns_; }
  trace::Tracer* tracer() const { return tracer_; }
  size_t tokens() const { return tokens_; }  // waiting

  // Each puts an item behind the session's items. REQUIRES: a stream has the session open. PushTokens takes the tokens
  // from `skip` on; `clock` is the session's after the tokens. REQUIRES: the tokens are checked and follow the
  // session's last token.
  void PushTokens(session::Session& session, const session::TokensView& tokens, uint32_t skip,
                  const store::TokenClock& clock, int64_t arrival_ns);
  void PushAck(session::Session& session);
  void PushRefusal(session::Session& session, session::Refusal refusal, trace::Mark trace = 0);
  void PushClose(session::Session& session, bool delete_session);

  // Takes from the front of the flow: stepped tokens, or another item.
  void TakeTokens(Flow& flow, uint32_t tokens);
  void PopFront(Flow& flow);
  session::Refusal PopRefusal(Flow& flow);

  // Ends the step begun by Turns::Grant: empty flows end, further flows wait for a turn.
  void EndStep();

  // The session does not await a save any more, and the held reply is taken: the flow goes on.
  void Unhold(session::Session& session);

  // Gives turns to stalled flows with room. REQUIRES: no step is under way.
  void Unstall();

  // Turns the session's tokens behind a held reply into a single refusal, and counts the rest of the flow no longer:
  // the stream must be read on, to get the client's delivered_seq. Returns the number of dropped tokens. REQUIRES: the
  // flow is in no step and has no turns.
  uint32_t SetAside(session::Session& session, session::Refusal refusal);

  // Drops the session's flow, if any. Returns the number of dropped tokens.
  uint32_t Forget(session::Session& session);

 private:
  WaitingItem& Push(session::Session& session, WaitingItem::Kind kind, trace::Mark trace = 0);
  void Count(const session::Session& session, const WaitingItem& item);
  void LetGo(const Flow& flow, const WaitingItem& item);
  Flow& FlowOf(session::Session& session);
  uint32_t DropItems(Flow& flow);
  void EndAside(Flow& flow);
  void End(Flow& flow);

  trace::Tracer* const tracer_;
  QueueRoom room_;
  ReplyHolds replies_;
  Turns turns_;
  size_t tokens_ = 0;
  std::deque<Flow> flows_;   // in use or free
  std::vector<Flow*> free_;  // the last used flow is taken first
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_TOKEN_QUEUE_H_
