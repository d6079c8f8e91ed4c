#ifndef AAREN_SERVER_SESSIONS_SHARD_STEP_STEP_BUFFERS_H_
#define AAREN_SERVER_SESSIONS_SHARD_STEP_STEP_BUFFERS_H_

// The memory of a Stepper: the layout of the step under way, the numbers of the engines, and the answer being made. The
// memory is allocated at first and kept. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "server/sessions/models/loaded_model.h"
#include "server/sessions/session/session.h"
#include "server/sessions/shard/shard_counters.h"

namespace aaren::shard {

// The sessions of one model: parts and runs from `first_part` and `first_run` on, up to the next call's.
struct StepCall {
  const models::LoadedModel* model = nullptr;
  size_t first_part = 0, first_run = 0;
  uint32_t tokens = 0;                   // in all channels together
  std::optional<engine::Ticket> ticket;  // while the batch is under way
  absl::Status status;                   // afterwards
};

// A session's part of a step. The last four members are places in the buffers. The part shares the plan's selection: a
// session without a stream loses the plan meanwhile.
struct StepPart {
  session::Session* session = nullptr;
  uint32_t tokens = 0;
  uint32_t wanted = 0;  // forecasts a channel
  size_t floats = 0;    // in a forecast
  std::shared_ptr<const engine::Selection> selection;
  size_t inputs = 0;     // the place of [channels, tokens, inputs] numbers
  size_t surprises = 0;  // the place of [channels, tokens] surprises
  size_t flags = 0;      // the place of [tokens] flags
  size_t forecasts = 0;  // the place of [channels, wanted] forecasts, in floats
};

struct StepLayout {
  void Clear() {
    calls.clear();
    parts.clear();
    runs.clear();
  }

  std::vector<StepCall> calls;
  std::vector<StepPart> parts;
  std::vector<engine::Run> runs;
};

// The numbers of the engines. The memory fits the largest model until now, and is untouched until used: a server with
// small models never pays for the pages.
class StepBuffers {
 public:
  // Makes room for a step with the models of the sessions. Drops the numbers of an earlier step.
  void Reserve(absl::Span<session::Session* const> sessions, size_t max_tokens, size_t max_forecasts);

  // A part begins behind the parts before: the places are noted in the part.
  void Place(StepPart& part) const;

  // The part is complete, with `inputs` numbers a channel.
  void Take(const StepPart& part, size_t inputs);
  void Clear() { used_ = {}; }

  float* inputs() { return inputs_.get(); }
  float* surprises() { return surprises_.get(); }
  float* forecasts() { return forecasts_.get(); }
  uint8_t* flags() { return flags_.get(); }

 private:
  std::unique_ptr<float[]> inputs_, surprises_, forecasts_;
  std::unique_ptr<uint8_t[]> flags_;
  size_t input_floats_ = 0, forecast_floats_ = 0;  // allocated
  StepPart used_;                                  // where the next part begins
};

// The numbers of one answer, as in session::ForecastsReply.
struct ReplyNumbers {
  void Clear() {
    forecasts.clear();
    surprises.clear();
    times_ns.clear();
    steps_ns.clear();
  }

  std::vector<const float*> forecasts;
  std::vector<float> surprises;
  std::vector<int64_t> times_ns, steps_ns;
};

// The times of a step, and the waiting times of tokens. Tokens of a round have arrived together, and count together.
struct ReplyTimes {
  // Tokens of `arrival` are answered. Counts the tokens of the arrival before.
  void Count(int64_t arrival, uint32_t tokens, ShardCounters& counters);

  int64_t began_ns = 0;
  int64_t stepped_ns = 0;  // the results were complete, and the answers are made at once
  int64_t arrival_ns = 0;  // the uncounted tokens' arrival
  uint64_t uncounted = 0;  // tokens
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_STEP_STEP_BUFFERS_H_
