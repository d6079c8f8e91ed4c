#ifndef AAREN_SERVER_SESSIONS_QUEUE_TURNS_H_
#define AAREN_SERVER_SESSIONS_QUEUE_TURNS_H_

// Turns decides whose tokens the next step takes. Tenants take turns; within a tenant the streams take turns, and
// within a stream the sessions. A turn is a number of units of work, and the owner waits for overdrawn units.
//
// Sessions and streams go by deficit round robin. A stream that had nothing waiting comes before the streams of the
// tenant that always have tokens (as in fq_codel, RFC 8290, section 4). So the next step answers a ping, whatever a hot
// stream sends. A stream whose client does not read replies has no turn until Resume.
//
// Among the tenants the next is the tenant with the least use for its weight. A tenant that had nothing waiting begins
// with the use of the tenant that is next (start-time fair queueing, Goyal et al. 1996). So turns are as short for a
// large weight as for a small weight, and a light tenant does not wait for a heavy tenant's long turn.
//
// A session with EVERY_TOKEN has no turn while its reply waits for a save, or while the stream may hold no more
// replies. A single reply answers a step of such a session, so the tokens of the step are of one kind and the reply
// fits into one message.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/flow.h"
#include "server/sessions/queue/reply_holds.h"
#include "server/sessions/queue/tenant_line.h"

namespace aaren::queue {

// The room of one step. A unit is about the cost of a channel's token without a forecast.
struct StepRoom {
  int64_t units = 0;
  uint32_t values = 0;     // tokens, times channels
  uint32_t forecasts = 0;  // forecasts, times channels

  bool empty() const { return units <= 0 || values == 0; }
};

class Turns {
 public:
  static constexpr int64_t kForecastUnits = 8;  // a channel's token with a forecast

  // `replies` outlives this.
  explicit Turns(ReplyHolds& replies) : replies_(replies) {}

  // The flow gets turns: a new flow, or a flow that had to wait.
  void Begin(Flow& flow);
  void Resume(Flow& flow);
  void Leave(Flow& flow);  // does nothing for a flow without turns

  // The stream's client reads again; the stream goes. REQUIRES of Leave: no session of the stream has a flow.
  void Resume(Attachment& stream);
  void Leave(Attachment& stream) { Unlink(stream); }

  // Lets flows take turns until the room is used up or no flow may have a turn. Names each flow of the step once;
  // Flow::grant has the number of tokens. The first flow gets at least a token. Takes the granted work from the room.
  // REQUIRES: the step before has ended; a step may have several grants.
  absl::Span<Flow* const> Grant(StepRoom& room);

  // The flow is gone: the place in the step stays, and is null.
  void Forget(Flow& flow);

  // Ends the step and hands each flow, without a grant, to `end`.
  void EndStep(absl::FunctionRef<void(Flow&)> end);

  bool any() const { return !line_.empty(); }

 private:
  static void Join(Flow& flow);
  void Join(TenantLine& tenant);
  static void Link(Attachment& stream, Attachment::Turn turn);
  static void Unlink(Attachment& stream);
  TenantLine* TakeNextTenant();
  Attachment* NextStream(TenantLine& tenant) const;
  void ServeTenant(TenantLine& tenant, StepRoom& room);
  void ServeStream(Attachment& stream, StepRoom& room);
  bool MustWait(Flow& flow);
  int64_t GrantTo(Flow& flow, int64_t units, StepRoom& room);
  static int64_t GrantTokens(Flow& flow, const WaitingItem& item, int64_t units, StepRoom& room);

  ReplyHolds& replies_;
  int64_t stream_turn_ = 0;        // units
  std::vector<TenantLine*> line_;  // a heap of tenants with the least `pass` in front
  double pass_ = 0;                // the last tenant's, by turn
  std::vector<Flow*> granted_;     // in the step under way; null: forgotten since
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_TURNS_H_
