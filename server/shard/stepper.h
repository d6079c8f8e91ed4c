#ifndef AAREN_SERVER_SHARD_STEPPER_H_
#define AAREN_SERVER_SHARD_STEPPER_H_

// The Stepper turns what the TokenQueue granted into batches of the engines and the results into answers.
//
//   Begin ──► one batch a model, submitted ──► Poll or Wait ──► Finish: each item is answered
//
// A *step* is under way from Begin to Finish, and so are the sessions in it: their rows are the engine's, and their
// tokens still stand in their flows. One step is under way at a time. A CPU's is done when Begin returns.
//
// The tokens granted of a session become one run a channel; a batch takes the sessions of one model. Every item gets
// answers of its own, in order: forecasts, or an acknowledgement where it asked for none; an item that is stepped in
// parts gets one for each. A session whose stream has left meanwhile (Abandon) is not answered. The answers of one that
// saves every token are held back in its flow, as one reply (Release).
//
// Buffers are made at first and kept: a step allocates nothing. Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/queue/token_queue.h"
#include "server/session/clock.h"
#include "server/session/session.h"
#include "server/session/table/row_pool.h"
#include "server/shard/shard_counters.h"
#include "server/watch/watched_sessions.h"

namespace aaren::shard {

class Stepper {
 public:
  // The references outlive this, and so does what `watched` points to, if it is not null. With `saving` off every
  // folded token counts as durable.
  Stepper(session::RowPool& rows, queue::TokenQueue& queue, ShardCounters& counters, const session::Clock& clock,
          uint32_t max_channels, bool saving, watch::WatchedSessions* watched);
  ~Stepper();  // waits for the step under way

  // What one step can take at most.
  queue::StepRoom room() const { return {.units = INT64_MAX, .values = max_tokens_, .forecasts = max_forecasts_}; }

  // Does the other items at a flow's front: all of them up to the next tokens. The flow may be gone afterwards.
  using OnItem = absl::FunctionRef<void(session::Session& session)>;

  // Submits what was granted of each flow. REQUIRES: no step is under way.
  void Begin(absl::Span<queue::Flow* const> flows);

  bool under_way() const { return !sessions_.empty(); }

  // Whether all batches of the step are done; Wait blocks until they are.
  bool Poll();
  void Wait();

  // Answers the step and ends it. Returns the number of its tokens. REQUIRES: all of its batches are done.
  size_t Finish(OnItem on_item);

  // The stream of a session under way leaves: the tokens that were granted count as folded, and leave the flow, though
  // the rows may still be stepped. Nobody will be told.
  void Abandon(session::Session& session);

  // Answers what was held back of the session. REQUIRES: it has a stream, and does not await a save any more.
  void Release(session::Session& session);

  // The sessions of the last step, each once. Good until the next begins.
  absl::Span<session::Session* const> finished() const { return finished_; }

  // Those of them whose batch failed, and why: their tokens from next_seq on were not answered, their rows are not to
  // be trusted.
  absl::Span<const std::pair<session::Session*, absl::Status>> failed() const { return failed_; }

 private:
  // The sessions of one model: parts and runs are from these on to the next call's.
  struct Call {
    const models::LoadedModel* model = nullptr;
    size_t floats = 0;  // of one forecast
    size_t first_part = 0, first_run = 0;
    uint32_t tokens = 0;                   // all channels counted
    std::optional<engine::Ticket> ticket;  // while the batch is under way
    absl::Status status;                   // after that
  };
  // What a step holds of one session.
  struct Part {
    session::Session* session = nullptr;
    uint32_t tokens = 0;
    uint32_t wanted = 0;   // forecasts a channel
    size_t inputs = 0;     // where its [channels, tokens, inputs] numbers begin
    size_t surprises = 0;  // where its [channels, tokens] surprises begin
    size_t flags = 0;      // where its [tokens] flags begin
    size_t forecasts = 0;  // where its [channels, wanted] forecasts begin, in floats
  };
  // Tokens of an item.
  struct Piece {
    uint32_t first = 0;
    uint32_t tokens = 0;
  };
  // Where Answer is within a part.
  struct Cursor {
    uint32_t token = 0;
    uint32_t computed = 0;
  };
  struct Outcomes {
    uint64_t forecast = 0, folded = 0, silent = 0;
  };

  void Gather(absl::Span<queue::Flow* const> flows);
  void EnsureBuffers();
  void LayOut(session::Session& session);
  void LayOutItem(Part& part, const queue::WaitingItem& item, Piece piece, uint32_t at);
  void Submit(size_t call);
  void FinishCall(size_t call, OnItem on_item);
  void Answer(const Call& call, const Part& part, OnItem on_item);
  void AnswerTokens(const Call& call, const Part& part, const queue::WaitingItem& item, Piece piece, Cursor& cursor);
  size_t CollectResults(const Call& call, const Part& part, const queue::WaitingItem& item, Piece piece,
                        Cursor& cursor);
  void NoteTokens(const Call& call, const Part& part, const queue::WaitingItem& item, Piece piece, Cursor cursor);
  static void AdvanceClock(session::Session& session, const queue::WaitingItem& item, uint32_t token, uint64_t seq);
  void AdvanceSeq(session::Session& session, uint32_t tokens);
  void CountTimes(int64_t arrival_ns, uint32_t tokens);
  void Reply(session::Session& session, uint64_t first_seq, size_t results);
  void HoldBack(session::Session& session, uint64_t first_seq, size_t results, const queue::WaitingItem& item);
  void NoteStep(const Call& call, const session::Session& session, trace::Mark trace, uint32_t tokens);

  session::RowPool& rows_;
  queue::TokenQueue& queue_;
  ShardCounters& counters_;
  const session::Clock& clock_;
  const bool saving_;
  watch::WatchedSessions* const watched_;    // null: nobody is
  const uint32_t max_tokens_;                // of one step, all channels counted
  const uint32_t max_forecasts_;             // likewise
  std::vector<session::Session*> sessions_;  // of the step under way
  std::vector<session::Session*> finished_;
  std::vector<std::pair<session::Session*, absl::Status>> failed_;
  Outcomes outcomes_;
  int64_t began_ns_ = 0;
  int64_t stepped_ns_ = 0;        // when the results were there: the answers are made at once
  int64_t timed_arrival_ns_ = 0;  // of the tokens that are not counted yet
  uint64_t timed_tokens_ = 0;

  // The step under way.
  size_t granted_tokens_ = 0;
  size_t inputs_used_ = 0, surprises_used_ = 0, flags_used_ = 0, forecasts_used_ = 0;
  std::vector<Call> calls_;
  std::vector<Part> parts_;
  std::vector<engine::Run> runs_;
  std::unique_ptr<float[]> inputs_, surprises_, forecasts_;
  std::unique_ptr<uint8_t[]> flags_;
  size_t input_floats_ = 0, forecast_floats_ = 0;  // allocated

  // The answer being made.
  std::vector<const float*> result_forecasts_;
  std::vector<float> result_surprises_;
  std::vector<int64_t> result_times_, result_steps_;
  std::vector<watch::Sighting> sightings_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_STEPPER_H_
