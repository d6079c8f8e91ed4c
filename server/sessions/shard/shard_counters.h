#ifndef AAREN_SERVER_SESSIONS_SHARD_SHARD_COUNTERS_H_
#define AAREN_SERVER_SESSIONS_SHARD_SHARD_COUNTERS_H_

// ShardCounters count a shard's work. Only the shard's thread writes; any thread reads. The numbers are relaxed
// atomics, bumped without a locked instruction and summed over the shards when Prometheus asks, so counting costs
// nothing per token. A model has separate counters (server/sessions/models/model_counters.h).

#include <array>

#include "server/operate/counters/counter.h"
#include "server/sessions/save/save_counters.h"

namespace aaren::shard {

inline constexpr std::array<double, 12> kBatchBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096};  // tokens

inline constexpr std::array<double, 10> kReuseBounds = {10e-3, 0.1,  1,     10,    60,
                                                        600,   3600, 21600, 86400, 604800};  // seconds

struct TokenCounters {
  // By outcome: each token of a Tokens item counts once in the six.
  counters::Counter tokens_forecast, tokens_folded, tokens_silent, tokens_duplicate, tokens_refused, tokens_dropped;
  counters::Counter slice_tokens, slice_ns;  // levels, of the last slice
  counters::Histogram<kBatchBounds.size()> batch_tokens{kBatchBounds};
  counters::Histogram<counters::kLatencyBounds.size()> queue_seconds{
      counters::kLatencyBounds};  // from arrival to the start of the step
  counters::Histogram<kReuseBounds.size()> reuse_seconds{
      kReuseBounds};  // between two tokens of a session, where tokens come singly
};

// Sessions by event. A writer whose session is another's now was fenced by another server, or taken over at this
// server: by another stream, an Import or a deletion.
struct SessionCounters {
  counters::Counter sessions_created, sessions_resumed, sessions_detached, sessions_deleted, sessions_moved,
      sessions_expired, sessions_evicted, sessions_rewound, sessions_fenced, sessions_taken_over, sessions_refused;
  counters::Counter demotions, promotions;  // sessions with an open handle
  counters::Histogram<counters::kLatencyBounds.size()> promotion_seconds{
      counters::kLatencyBounds};  // from a demoted session's token to the row
};

struct ShardLevels {
  counters::Counter sessions_resident, sessions_attached, sessions_demoted, slots_used, slots_capacity, state_bytes,
      queued_tokens, queued_bytes, held_bytes, streams, sessions_stalled, sessions_silent;
};

struct ShardCounters : TokenCounters, SessionCounters, save::SaveCounters, ShardLevels {};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_SHARD_COUNTERS_H_
