#ifndef AAREN_SERVER_SESSION_STEPPER_H_
#define AAREN_SERVER_SESSION_STEPPER_H_

// The Stepper turns waiting items into engine calls and the results into answers.
//
// All items of a session that fit become one run a channel; a call takes as many sessions of one model as its buffers
// hold, which bounds them: an item that is larger is cut over several calls. Every item gets an answer of its own, in
// order: forecasts, or an acknowledgement where it asked for none.
//
// Buffers are made at first and kept: a step allocates nothing. Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/session/row_pool.h"
#include "server/session/session.h"
#include "server/session/shard_counters.h"
#include "server/session/token_queue.h"

namespace aaren {

class Stepper {
 public:
  // `rows` and `counters` outlive this. With `saving` off every folded token counts as durable.
  Stepper(RowPool& rows, ShardCounters& counters, uint32_t max_channels, bool saving);

  // Steps the first items of `queue` and answers them. Whatever else the queue holds of these sessions stays queued.
  void Step(const TokenQueue& queue, absl::Span<QueuedItem> items);

  // The sessions of the last Step, each once.
  absl::Span<Session* const> sessions() const { return sessions_; }

  // Those whose call failed, and why: their tokens from next_seq on were not answered, their rows are not to be
  // trusted.
  absl::Span<const std::pair<Session*, absl::Status>> failed() const { return failed_; }

 private:
  // A stretch of one item within a call.
  struct Piece {
    uint32_t item = 0, first = 0, tokens = 0;
  };
  // What a call holds of one session.
  struct Part {
    Session* session = nullptr;
    size_t first_piece = 0, pieces = 0;
    uint32_t tokens = 0;
    uint32_t wanted = 0;   // forecasts a channel
    size_t values = 0;     // where its [channels, tokens] values begin, its surprises likewise
    size_t flags = 0;      // where its [tokens] flags begin
    size_t forecasts = 0;  // where its [channels, wanted] forecasts begin
  };
  // Where Answer is within a part.
  struct Cursor {
    uint32_t token = 0;
    uint32_t computed = 0;
  };
  struct Outcomes {
    uint64_t forecast = 0, folded = 0, silent = 0;
  };

  void Link(absl::Span<QueuedItem> items);
  void Take(Session& session);
  uint32_t Room(const Session& session, bool silent) const;
  void ClosePart();
  void LayOut(Part& part);
  void FlagTokens(Part& part, const Piece& piece, uint32_t token, uint64_t seq);
  void RunCall();
  void EnsureBuffers(const LoadedModel& model);
  void Answer(const Part& part);
  void AnswerPiece(const Part& part, const Piece& piece, Cursor& cursor);
  size_t CollectResults(const Part& part, const Piece& piece, Cursor& cursor);
  void CountTimes(absl::Span<QueuedItem> items, int64_t now, Histogram<kLatencyBounds.size()>& histogram);

  RowPool& rows_;
  ShardCounters& counters_;
  const bool saving_;
  const uint32_t max_tokens_;     // of one call, all channels counted
  const uint32_t max_forecasts_;  // likewise
  std::vector<Session*> sessions_;
  std::vector<std::pair<Session*, absl::Status>> failed_;
  Outcomes outcomes_;

  // The step under way.
  const TokenQueue* queue_ = nullptr;
  absl::Span<QueuedItem> items_;

  // The call being gathered.
  const LoadedModel* model_ = nullptr;
  uint32_t tokens_ = 0;         // taken, all channels counted
  uint32_t forecast_room_ = 0;  // taken of max_forecasts_
  size_t values_used_ = 0, flags_used_ = 0, forecasts_used_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Part> parts_;
  size_t closed_pieces_ = 0;  // those that belong to a part
  std::vector<Run> runs_;

  std::unique_ptr<float[]> values_, surprises_, forecasts_;
  std::unique_ptr<uint8_t[]> flags_;
  size_t forecast_floats_ = 0;  // allocated

  // The answer being made.
  std::vector<const float*> result_forecasts_;
  std::vector<float> result_surprises_;
  std::vector<int64_t> result_times_;
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_STEPPER_H_
