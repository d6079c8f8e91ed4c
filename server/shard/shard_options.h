#ifndef AAREN_SERVER_SHARD_SHARD_OPTIONS_H_
#define AAREN_SERVER_SHARD_SHARD_OPTIONS_H_

// What a shard is told when it is made, and what it tells of a stream. All limits are one shard's own, unless they say
// otherwise.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/time/time.h"
#include "server/memory/memory_budget.h"
#include "server/trace/tracer.h"
#include "server/watch/watched_sessions.h"

namespace aaren::shard {

struct ShardOptions {
  size_t capacity_rows = 1 << 20;                                  // of this shard, per model
  size_t max_resident_bytes = std::numeric_limits<size_t>::max();  // of its rows: beyond, the oldest go to the store
  uint32_t max_channels = 64;
  uint32_t max_tokens_per_item = 4096;
  uint64_t max_in_flight_tokens = 65536;  // next_seq - delivered_seq, of a session that tells it
  uint64_t max_undurable_tokens = 65536;  // per session, that the store has not taken; then its stream waits for it
  uint32_t max_sessions_per_stream = 1 << 20;
  size_t max_queued_bytes = 8 << 20;  // of tokens that wait, in the whole shard; the streams share it (AdmitsTokens)
  size_t max_pending_opens = 1024;    // likewise (AdmitsOpen)
  size_t max_step_tokens = 4096;      // times channels; taken by one Step(), which takes one token at least
  absl::Duration slice = absl::Milliseconds(1);       // what one Step() should take
  absl::Duration save_interval = absl::Seconds(1);    // zero: nothing is saved
  bool saves_outlast_server = true;                   // else no session may have EVERY_TOKEN
  absl::Duration session_ttl = absl::ZeroDuration();  // zero: sessions are kept for ever
  std::string advertise = {};  // HOST:PORT under which others are told of this server; empty: it is not told
  memory::MemoryBudget* budget =
      nullptr;                      // for what sessions cost, shared by all shards; outlives them; null: no limit
  trace::Tracer* tracer = nullptr;  // of this shard, which it outlives; null: nothing is traced
  watch::WatchedSessions* watched = nullptr;  // of all shards, which it outlives; null: nobody is watched
};

// What one stream has here.
struct StreamUse {
  size_t sessions = 0;      // that it has open, or is about to
  size_t queued_bytes = 0;  // of tokens that wait, or were set aside
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_SHARD_OPTIONS_H_
