#ifndef AAREN_SERVER_QUEUE_TOKEN_QUEUE_H_
#define AAREN_SERVER_QUEUE_TOKEN_QUEUE_H_

// The TokenQueue holds the flows of a shard's sessions and decides whose turn it is.
//
// Tenants take turns, of a tenant its streams do, and of a stream its sessions. Whoever's turn it is may use so many
// units of work, and what it overdraws it waits for.
//
// Sessions and streams go by deficit round robin. A stream that had nothing waiting comes before those of its tenant
// that always have (as in fq_codel, RFC 8290, section 4). So a ping is answered by the next step, whatever a hot stream
// sends. A stream whose client does not read its replies has no turn until it does.
//
// Of the tenants that one is next which has used least for its weight; who had nothing waiting has used as much as who
// is next now (start-time fair queueing, Goyal et al. 1996). So turns are as short for a large weight as for a small
// one, and nobody waits for a heavy tenant to use up a long turn, as by deficits.
//
// What may wait is bounded. A stream may fill half of what is left, so there is always room for others. A stream that
// has nothing here may always have one item. Where there are several tenants, one may fill half of what the others
// leave.
//
// A session whose replies wait for a save has no turn until they are sent. One step of it is answered by one reply, so
// its tokens are then of one kind, and their reply fits into one message. What such replies hold is bounded too, and
// shared in the same way: a stream at its bound keeps its own sessions of their kind waiting, and nobody else's. Their
// saves may wait for its client's word, which need not come.
//
// Threading: belongs to one shard.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "server/queue/attachment.h"
#include "server/queue/flow.h"
#include "server/queue/line.h"
#include "server/queue/tenant_line.h"
#include "server/session/session.h"

namespace aaren::queue {

// How much one step takes. A unit is about what a channel's token without a forecast costs.
struct StepRoom {
  int64_t units = 0;
  uint32_t values = 0;     // tokens, times channels
  uint32_t forecasts = 0;  // likewise

  bool empty() const { return units <= 0 || values == 0; }
};

class TokenQueue {
 public:
  static constexpr int64_t kForecastUnits = 8;  // of a channel's token with a forecast

  // `tracer` outlives this; null: nothing is traced.
  explicit TokenQueue(size_t max_bytes, trace::Tracer* tracer = nullptr) : max_bytes_(max_bytes), tracer_(tracer) {}

  trace::Tracer* tracer() const { return tracer_; }

  // Whose turns those of the account are; null: everybody's. It lasts as long as this.
  TenantLine& LineOf(identity::Account* account);

  // Whether there are several tenants, and this one has as much of something as it may while there is so much of it in
  // all. Half of what the others leave: there is always room for another.
  bool HasItsPart(size_t own, size_t all, size_t most) const {
    return tenants_.size() > 1 && own > 0 && own >= (most - std::min(most, all - own)) / 2;
  }

  // Whether nothing more of the stream may wait before some of it is stepped.
  bool IsFull(const Attachment& stream) const {
    return bytes_ >= max_bytes_ || HasItsPart(stream.tenant.bytes, bytes_, max_bytes_);
  }

  // Whether the stream may add an item of so many bytes now. If not, room comes as its flows are stepped.
  bool Admits(const Attachment& stream, size_t bytes) const;

  // Tokens that wait for an Open count as well, though they are not here.
  void Defer(Attachment& stream, size_t bytes);
  void Undefer(Attachment& stream, size_t bytes);

  // Each puts an item behind all others of the session. REQUIRES: it is attached. Of tokens, those from `skip` on; they
  // are checked and follow the session's last; `clock` is the session's after them.
  void PushTokens(session::Session& session, const session::TokensView& tokens, uint32_t skip,
                  const store::TokenClock& clock, int64_t arrival_ns);
  void PushAck(session::Session& session);
  void PushRefusal(session::Session& session, session::Refusal refusal, trace::Mark trace = 0);
  void PushClose(session::Session& session, bool delete_session);

  // Lets flows take turns until the room is used up or nothing is left that may have one. Each flow that got a turn is
  // named once; its `granted` says how many tokens of it to step. At least one token is granted to the first flow.
  // Takes what it granted from the room. REQUIRES: the step before has ended; one step may have several grants.
  absl::Span<Flow* const> Grant(StepRoom& room);

  // Takes what stands at the flow's front: tokens of a step that are done, or another item.
  void TakeTokens(Flow& flow, uint32_t tokens);
  void PopFront(Flow& flow);
  session::Refusal PopRefusal(Flow& flow);

  // Ends the step that Grant began: flows with nothing left are gone, those that got more meanwhile wait for a turn.
  void EndStep();

  // What holds back the reply of a session that AwaitsSave, in its flow. Grown is called when it has got more.
  HeldReply& Hold(session::Session& session);
  void Grown(session::Session& session, size_t bytes);

  // The session does not await a save any more: the reply, if one was held, and then its next turn.
  std::unique_ptr<HeldReply> TakeReply(session::Session& session);
  void Unhold(session::Session& session);

  // What waits of a session for its client's word, or for room for its reply, must not keep its stream from being read:
  // that word comes there. So what it sent behind a held reply becomes one refusal, and what is left of its flow, less
  // than a session takes, does not count. Returns how many tokens were dropped. REQUIRES: it is in no step or line.
  uint32_t SetAside(session::Session& session, session::Refusal refusal);

  // Those that have a turn as soon as their streams may hold more replies.
  bool any_stalled() const { return !stalled_.empty(); }
  template <typename Visit>
  void ForEachStalled(Visit visit) const {
    for (StalledFlows* stream = stalled_.front(); stream != nullptr; stream = stream->next) {
      for (Flow* flow = stream->flows.front(); flow != nullptr; flow = flow->next) visit(*flow);
    }
  }

  // Gives turns to those for which there is room by now. REQUIRES: no step is under way.
  void Unstall();

  // Drops the session's flow. Returns how many tokens were in it.
  uint32_t Forget(session::Session& session);

  // The stream's client reads again.
  void Resume(Attachment& stream);

  // REQUIRES: no session of it has a flow.
  void Leave(Attachment& stream) { Unlink(stream); }

  bool has_turns() const { return !line_.empty(); }
  size_t tokens() const { return tokens_; }
  size_t bytes() const { return bytes_; }
  size_t held_bytes() const { return held_bytes_; }  // of replies, also those that a step under way will make
  bool may_hold() const { return held_bytes_ < max_bytes_; }

 private:
  WaitingItem& Push(session::Session& session, WaitingItem::Kind kind, trace::Mark trace = 0);
  void LetGo(const Flow& flow, const WaitingItem& item);
  Flow& FlowOf(session::Session& session);
  void Count(Attachment& stream, ptrdiff_t bytes);
  static void JoinLine(Flow& flow);
  static void LeaveLine(Flow& flow);
  bool MustWait(Flow& flow);
  bool MayHold(const Attachment& stream, size_t bytes) const;
  void Promise(Flow& flow);
  void EndPromise(Flow& flow);
  void Stall(Flow& flow);
  void LeaveStalled(Flow& flow);
  void Unstall(Flow& flow);
  void CountHeld(const session::Session& session, ptrdiff_t bytes);
  void Release(Flow& flow);
  void Restore(Flow& flow);  // it counts again

  static void Link(Attachment& stream, Attachment::Turn turn);
  static void Unlink(Attachment& stream);
  void JoinLine(TenantLine& tenant);
  TenantLine* TakeNextTenant();
  Attachment* NextStream(TenantLine& tenant);
  void ServeTenant(TenantLine& tenant, StepRoom& room);
  void ServeStream(Attachment& stream, StepRoom& room);
  static const WaitingItem& FirstTokens(const Flow& flow);
  static bool JoinsReply(const Flow& flow, const WaitingItem& item);
  int64_t GrantTo(Flow& flow, int64_t units, StepRoom& room);
  int64_t GrantTokens(Flow& flow, const WaitingItem& item, int64_t units, StepRoom& room);

  const size_t max_bytes_;
  trace::Tracer* const tracer_;
  int64_t stream_turn_ = 0;  // units
  size_t bytes_ = 0, tokens_ = 0;
  size_t held_bytes_ = 0;
  absl::flat_hash_map<const identity::Account*, std::unique_ptr<TenantLine>> tenants_;  // looked up as streams begin
  Line<StalledFlows> stalled_;     // of those streams that have any
  bool freed_ = false;             // fewer replies are held than when stalled ones last got turns
  std::vector<TenantLine*> line_;  // of tenants, a heap: the least `pass` is its front
  double pass_ = 0;                // of the tenant that had the last turn
  std::deque<Flow> flows_;         // all of them
  std::vector<Flow*> free_;        // of them; the one that was used last is taken first
  std::vector<Flow*> granted_;     // of the step under way; null: forgotten since
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_QUEUE_TOKEN_QUEUE_H_
