#ifndef AAREN_SERVER_SHARD_SHARD_COUNTERS_H_
#define AAREN_SERVER_SHARD_SHARD_COUNTERS_H_

// The numbers one shard keeps about itself. Only the shard's thread writes them, anybody reads them: relaxed atomics
// that a single writer bumps without a locked instruction, summed over shards when Prometheus asks. They cost nothing
// per token. Those of a model are the model's (server/models/model_counters.h).

#include <array>

#include "server/counters/counter.h"

namespace aaren::shard {

inline constexpr std::array<double, 12> kBatchBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096};  // tokens

inline constexpr std::array<double, 10> kReuseBounds = {10e-3, 0.1,  1,     10,    60,
                                                        600,   3600, 21600, 86400, 604800};  // seconds

struct ShardCounters {
  // Tokens by outcome: exactly one of these per token of every Tokens item.
  counters::Counter tokens_forecast, tokens_folded, tokens_silent, tokens_duplicate, tokens_refused, tokens_dropped;
  // Sessions by event.
  counters::Counter sessions_created, sessions_resumed, sessions_detached, sessions_deleted, sessions_moved,
      sessions_expired, sessions_evicted, sessions_rewound, sessions_fenced, sessions_refused;
  counters::Counter demotions, promotions;  // of sessions whose stream holds the handle
  counters::Counter saves, save_failures, saves_retried;
  // Levels.
  counters::Counter sessions_resident, sessions_attached, sessions_demoted, slots_used, slots_capacity, state_bytes,
      queued_tokens, queued_bytes, held_bytes, streams, sessions_stalled;
  counters::Counter slice_tokens, slice_ns;  // levels: of the last slice that was stepped
  counters::Histogram<kBatchBounds.size()> batch_tokens{kBatchBounds};
  counters::Histogram<counters::kLatencyBounds.size()> queue_seconds{
      counters::kLatencyBounds};  // from arrival to the start of its step
  counters::Histogram<counters::kLatencyBounds.size()> token_seconds{
      counters::kLatencyBounds};  // from arrival to its reply handed to the stream
  counters::Histogram<counters::kLatencyBounds.size()> save_seconds{
      counters::kLatencyBounds};  // of them, by which a reply waited for its save
  counters::Histogram<counters::kLatencyBounds.size()> promotion_seconds{
      counters::kLatencyBounds};  // from a demoted session's token to its row here
  counters::Histogram<kReuseBounds.size()> reuse_seconds{
      kReuseBounds};  // between two tokens of a session that came one by one
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_SHARD_COUNTERS_H_
