#include "server/sessions/shard/step/step_buffers.h"

#include <algorithm>

namespace aaren::shard {
namespace {

// Numbers of before are lost where the buffer is too small.
void Enlarge(std::unique_ptr<float[]>& buffer, size_t& size, size_t wanted) {
  if (wanted <= size) return;
  buffer = std::make_unique_for_overwrite<float[]>(wanted);
  size = wanted;
}

}  // namespace

void StepBuffers::Reserve(absl::Span<session::Session* const> sessions, size_t max_tokens, size_t max_forecasts) {
  if (!surprises_) {
    surprises_ = std::make_unique_for_overwrite<float[]>(max_tokens);
    flags_ = std::make_unique_for_overwrite<uint8_t[]>(max_tokens);
  }
  size_t inputs = 0, forecasts = 0;
  for (const session::Session* session : sessions) {
    inputs = std::max(inputs, session->inputs() * max_tokens);
    forecasts = std::max(forecasts, session->result_floats() * max_forecasts);
  }
  Enlarge(inputs_, input_floats_, inputs);
  Enlarge(forecasts_, forecast_floats_, forecasts);
}

void StepBuffers::Place(StepPart& part) const {
  part.inputs = used_.inputs;
  part.surprises = used_.surprises;
  part.flags = used_.flags;
  part.forecasts = used_.forecasts;
}

void StepBuffers::Take(const StepPart& part, size_t inputs) {
  const uint32_t channels = part.session->channels;
  used_.inputs += inputs * channels;
  used_.surprises += size_t{part.tokens} * channels;
  used_.flags += part.tokens;
  used_.forecasts += size_t{part.wanted} * channels * part.floats;
}

void ReplyTimes::Count(int64_t arrival, uint32_t tokens, ShardCounters& counters) {
  if (arrival != arrival_ns && uncounted > 0) {
    const auto seconds = [this](int64_t until) { return static_cast<double>(until - arrival_ns) * 1e-9; };
    counters.queue_seconds.Observe(seconds(began_ns), uncounted);
    counters.token_seconds.Observe(seconds(stepped_ns), uncounted);
    uncounted = 0;
  }
  arrival_ns = arrival;
  uncounted += tokens;
}

}  // namespace aaren::shard
