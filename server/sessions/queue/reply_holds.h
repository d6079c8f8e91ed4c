#ifndef AAREN_SERVER_SESSIONS_QUEUE_REPLY_HOLDS_H_
#define AAREN_SERVER_SESSIONS_QUEUE_REPLY_HOLDS_H_

// ReplyHolds has the replies held for a save, of sessions with EVERY_TOKEN, and bounds the bytes. A stream may hold
// half of the remaining room. At the bound only the stream's own sessions with EVERY_TOKEN wait (stall). The bound
// matters because a save may wait for the client's delivered_seq, and the client may never tell.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <memory>

#include "absl/functional/function_ref.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/flow.h"
#include "server/sessions/queue/line.h"
#include "server/sessions/session/session.h"

namespace aaren::queue {

class ReplyHolds {
 public:
  explicit ReplyHolds(size_t max_bytes) : max_bytes_(max_bytes) {}

  // The held reply of the session, in the session's flow, made at the first call. REQUIRES: the session has a flow.
  HeldReply& Hold(session::Session& session);

  // The held reply has grown by `bytes`.
  void Grown(const session::Session& session, size_t bytes) { Add(session, bytes); }

  // Gives the held reply away; null: none is held.
  std::unique_ptr<HeldReply> Take(const session::Session& session);

  // True if the stream may hold a reply beside `spoken_for` further bytes.
  bool MayHold(const Attachment& stream, size_t spoken_for) const;

  // Counts a reply of `forecasts` a channel to be held by the step under way. A step may have a thousand sessions, so
  // the bytes count from the grant on.
  void Promise(Flow& flow, size_t forecasts);
  void EndPromise(Flow& flow);

  // The flow waits for room. REQUIRES: the flow is in no line.
  void Stall(Flow& flow);
  void EndStall(Flow& flow);  // does nothing for a flow without a stall

  // Ends the stalls of flows with room by now, and hands each flow to `resume`. Counts one token for each: a flow with
  // more would only stall again.
  void EndStalls(absl::FunctionRef<void(Flow&)> resume);

  bool any_stalled() const { return !stalled_.empty(); }
  template <typename Visit>
  void ForEachStalled(Visit visit) const {
    for (StalledFlows* stream = stalled_.front(); stream != nullptr; stream = stream->next) {
      for (Flow* flow = stream->flows.front(); flow != nullptr; flow = flow->next) visit(*flow);
    }
  }

  size_t bytes() const { return bytes_; }  // with the promised replies
  bool has_room() const { return bytes_ < max_bytes_; }

 private:
  void Add(const session::Session& session, size_t bytes);
  void Give(const session::Session& session, size_t bytes);

  const size_t max_bytes_;
  size_t bytes_ = 0;
  Line<StalledFlows> stalled_;  // streams with stalled flows
  bool freed_ = false;          // bytes were given back since the last EndStalls
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_REPLY_HOLDS_H_
