#ifndef AAREN_SERVER_SESSIONS_SHARD_STEP_STEPS_H_
#define AAREN_SERVER_SESSIONS_SHARD_STEP_STEPS_H_

// Steps takes a shard's waiting tokens through the engines, a slice of about a millisecond at a time. Steps has the
// queue, the stepper and the pace.
//
//   Run ──► a slice: Grant ──► Stepper::Begin ──► the engines ──► Stepper::Finish: answers ──► Grant, as far as the
//   slice goes
//
// A device may take its time. While a step is under way, the rows in the step are the engine's: README.md, "A step
// under way". Nothing else in a slice waits.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "server/sessions/queue/token_queue.h"
#include "server/sessions/session/session.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/slice_pace.h"
#include "server/sessions/shard/step/stepper.h"

namespace aaren::shard {

// The events of a step for other parts of the shard.
class StepEvents {
 public:
  virtual ~StepEvents() = default;

  // Everything before the session's Close is answered. Afterwards the session has no flow.
  virtual void OnClose(session::Session& session, bool delete_session) = 0;

  // The batch has failed: the session's rows are not to be trusted.
  virtual void OnFailed(session::Session& session, const absl::Status& status) = 0;

  // The step is answered, and no new step has begun.
  virtual void OnStepEnded() = 0;
};

class Steps {
 public:
  // The arguments outlive the Steps.
  Steps(Core& core, Residents& residents, StepEvents& events);

  // Steps a slice of the waiting tokens; with a device, as far as the device has come. Returns the number of answered
  // tokens, or of sessions answered without tokens.
  size_t Run();

  bool under_way() const { return stepper_.under_way(); }

  // The session with the key, outside a step; null: not here. Waits for the session's step under way, at most the time
  // of a batch.
  session::Session* FindSettled(absl::string_view key);

  // Drops everything of the session in the queue. Granted tokens count as folded: a step cannot be called back.
  void Forget(session::Session& session);

  // The arrival of a token, by the clock's first reading in the round.
  int64_t ArrivalNanos();

  // True if a flow may have been stalled since the last call: at the end of a step, or where no flow got a turn.
  bool TakeNewStalls() { return std::exchange(new_stalls_, false); }

  queue::TokenQueue& queue() { return queue_; }
  const queue::TokenQueue& queue() const { return queue_; }

 private:
  // A slice may go on in later calls of Run.
  struct Slice {
    int64_t units = 0;  // in the whole slice
    int64_t left = 0;
    int64_t began_ns = 0;
  };

  void BeginSlice();
  void EndSlice(size_t done);
  void Begin();
  size_t End();
  void Finish();
  void DoItems(session::Session& session);
  void Settle();

  Core& core_;
  Residents& residents_;
  StepEvents& events_;
  queue::TokenQueue queue_;
  Stepper stepper_;
  SlicePace pace_;
  Slice slice_;             // the latest
  int64_t arrival_ns_ = 0;  // 0: the next token reads the clock
  bool new_stalls_ = false;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_STEP_STEPS_H_
