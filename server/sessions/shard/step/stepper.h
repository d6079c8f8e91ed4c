#ifndef AAREN_SERVER_SESSIONS_SHARD_STEP_STEPPER_H_
#define AAREN_SERVER_SESSIONS_SHARD_STEP_STEPPER_H_

// The Stepper turns granted tokens into batches of the engines, and results into answers.
//
//   Begin ──► one batch a model, submitted ──► Poll or Wait ──► Finish: each item is answered
//
// A *step* and the step's sessions are under way from Begin to Finish: the rows are the engine's, and the tokens still
// stand in the flows. A single step is under way at a time. A CPU's step is done when Begin returns.
//
// The granted tokens of a session become a run a channel; a batch takes the sessions of a model. Every item gets
// answers, in order: forecasts, or an acknowledgement where the client asked for no forecast. An item stepped in parts
// gets an answer for each part. A session without a stream (Abandon) gets no answer. With EVERY_TOKEN the answers are
// held back in the session's flow, as one reply.
//
// Buffers are made at first and kept: a step allocates nothing. Threading: belongs to one shard.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/sessions/queue/token_queue.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/table/row_pool.h"
#include "server/sessions/shard/shard_counters.h"
#include "server/sessions/shard/step/step_buffers.h"
#include "server/sessions/watch/watched_sessions.h"

namespace aaren::shard {

class Stepper {
 public:
  // All outlive the Stepper.
  struct Parts {
    session::RowPool& rows;
    queue::TokenQueue& queue;
    ShardCounters& counters;
    const session::Clock& clock;
    watch::WatchedSessions* watched;  // null: no session is watched
  };
  struct Options {
    uint32_t max_channels = 1;
    bool saving = true;  // off: every folded token counts as durable
  };
  Stepper(const Parts& parts, const Options& options);
  ~Stepper();  // waits for the step under way

  // The largest step.
  queue::StepRoom room() const { return {.units = INT64_MAX, .values = max_tokens_, .forecasts = max_forecasts_}; }

  // Answers the items without tokens at the front of a flow, up to the next tokens. The flow may end.
  using OnItem = absl::FunctionRef<void(session::Session& session)>;

  // Submits the grant of each flow. REQUIRES: no step is under way.
  void Begin(absl::Span<queue::Flow* const> flows);

  bool under_way() const { return !sessions_.empty(); }

  // Poll is true if all batches of the step are done; Wait blocks until all are done.
  bool Poll();
  void Wait();

  // Answers and ends the step. Returns the number of tokens. REQUIRES: all batches are done.
  size_t Finish(OnItem on_item);

  // The stream of a session under way leaves: the granted tokens count as folded and leave the flow, though the rows
  // may still be stepped. Nobody will be told.
  void Abandon(session::Session& session);

  // The sessions of the last step, each once. Valid until the next step begins.
  absl::Span<session::Session* const> finished() const { return finished_; }

  // The sessions of the last step with a failed batch, and why. The tokens from point.seq on were not answered, and the
  // rows are not to be trusted.
  absl::Span<const std::pair<session::Session*, absl::Status>> failed() const { return failed_; }

 private:
  // Where Answer is within a part.
  struct Cursor {
    uint32_t token = 0;
    uint32_t computed = 0;
  };
  // Tokens of an item.
  struct Piece {
    uint32_t first = 0;
    uint32_t tokens = 0;
  };
  struct Outcomes {
    uint64_t forecast = 0, folded = 0, silent = 0;
  };

  void Gather(absl::Span<queue::Flow* const> flows);
  void LayOut(session::Session& session);
  void LayOutItem(StepPart& part, const queue::WaitingItem& item, Piece piece, uint32_t at);
  void Submit(size_t call);
  void FinishCall(size_t call, OnItem on_item);
  void Answer(const StepCall& call, const StepPart& part, OnItem on_item);
  void AnswerTokens(const StepCall& call, const StepPart& part, const queue::WaitingItem& item, Piece piece,
                    Cursor& cursor);
  size_t CollectResults(const StepPart& part, const queue::WaitingItem& item, Piece piece, Cursor& cursor);
  void NoteTokens(const StepPart& part, const queue::WaitingItem& item, Piece piece, Cursor cursor);
  static void AdvanceClock(session::Session& session, const queue::WaitingItem& item, uint32_t token, uint64_t seq);
  void AdvanceSeq(session::Session& session, uint32_t tokens);
  void Reply(session::Session& session, uint64_t first_seq, size_t results);
  void HoldBack(session::Session& session, uint64_t first_seq, size_t results, const queue::WaitingItem& item);
  void NoteStep(const StepCall& call, const session::Session& session, trace::Mark trace, uint32_t tokens);

  const Parts with_;
  const bool saving_;
  const uint32_t max_tokens_;                // in a step, all channels counted
  const uint32_t max_forecasts_;             // in a step, all channels counted
  std::vector<session::Session*> sessions_;  // in the step under way
  std::vector<session::Session*> finished_;
  std::vector<std::pair<session::Session*, absl::Status>> failed_;
  Outcomes outcomes_;
  ReplyTimes times_;
  size_t granted_tokens_ = 0;  // in the step under way
  StepLayout layout_;          // the step under way
  StepBuffers buffers_;
  ReplyNumbers reply_;  // the answer being made
  std::vector<watch::Sighting> sightings_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_STEP_STEPPER_H_
