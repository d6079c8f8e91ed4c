#ifndef AAREN_SERVER_SHARD_STEPPER_H_
#define AAREN_SERVER_SHARD_STEPPER_H_

// The Stepper turns what the TokenQueue granted into engine calls and the results into answers.
//
// The tokens granted of a session become one run a channel; a call takes the sessions of one model. Every item gets
// answers of its own, in order: forecasts, or an acknowledgement where it asked for none; an item that is stepped in
// parts gets one for each.
//
// Buffers are made at first and kept: a step allocates nothing. Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/session/clock.h"
#include "server/session/row_pool.h"
#include "server/session/session.h"
#include "server/shard/shard_counters.h"
#include "server/shard/token_queue.h"

namespace aaren {

class Stepper {
 public:
  // The references outlive this. With `saving` off every folded token counts as durable.
  Stepper(RowPool& rows, TokenQueue& queue, ShardCounters& counters, const Clock& clock, uint32_t max_channels,
          bool saving);

  // What one step can take at most.
  StepRoom room() const { return {.units = INT64_MAX, .values = max_tokens_, .forecasts = max_forecasts_}; }

  // Does the other items at a flow's front: all of them up to the next tokens. The flow may be gone afterwards.
  using OnItem = absl::FunctionRef<void(Session& session)>;

  // Steps what was granted of each flow, and answers it. Returns the number of tokens.
  size_t Step(absl::Span<Flow* const> flows, OnItem on_item);

  // The sessions of the last Step, each once, but for those that have left since.
  absl::Span<Session* const> sessions() const { return sessions_; }

  // Those whose call failed, and why: their tokens from next_seq on were not answered, their rows are not to be
  // trusted.
  absl::Span<const std::pair<Session*, absl::Status>> failed() const { return failed_; }

 private:
  // What a call holds of one session.
  struct Part {
    Session* session = nullptr;
    uint32_t tokens = 0;
    uint32_t wanted = 0;   // forecasts a channel
    size_t values = 0;     // where its [channels, tokens] values begin, its surprises likewise
    size_t flags = 0;      // where its [tokens] flags begin
    size_t forecasts = 0;  // where its [channels, wanted] forecasts begin
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

  void LayOut(Session& session);
  void LayOutItem(Part& part, const WaitingItem& item, Piece piece, uint32_t at);
  void RunCall(OnItem on_item);
  void EnsureBuffers(const LoadedModel& model);
  void Answer(const Part& part, OnItem on_item);
  void AnswerTokens(const Part& part, const WaitingItem& item, Piece piece, Cursor& cursor);
  size_t CollectResults(const Part& part, const WaitingItem& item, Piece piece, Cursor& cursor);
  void CountTimes(int64_t arrival_ns, uint32_t tokens);
  void Reply(Session& session, uint64_t first_seq, size_t results);

  RowPool& rows_;
  TokenQueue& queue_;
  ShardCounters& counters_;
  const Clock& clock_;
  const bool saving_;
  const uint32_t max_tokens_;     // of one step, all channels counted
  const uint32_t max_forecasts_;  // likewise
  std::vector<Session*> sessions_;
  std::vector<std::pair<Session*, absl::Status>> failed_;
  Outcomes outcomes_;
  int64_t began_ns_ = 0;
  int64_t stepped_ns_ = 0;        // when the last call returned: its answers are made at once
  int64_t timed_arrival_ns_ = 0;  // of the tokens that are not counted yet
  uint64_t timed_tokens_ = 0;

  // The call being gathered.
  const LoadedModel* model_ = nullptr;
  size_t floats_ = 0;    // of one forecast
  uint32_t tokens_ = 0;  // taken, all channels counted
  size_t values_used_ = 0, flags_used_ = 0, forecasts_used_ = 0;
  std::vector<Part> parts_;
  std::vector<Run> runs_;

  std::unique_ptr<float[]> values_, surprises_, forecasts_;
  std::unique_ptr<uint8_t[]> flags_;
  size_t forecast_floats_ = 0;  // allocated

  // The answer being made.
  std::vector<const float*> result_forecasts_;
  std::vector<float> result_surprises_;
  std::vector<int64_t> result_times_, result_steps_;
};

}  // namespace aaren

#endif  // AAREN_SERVER_SHARD_STEPPER_H_
