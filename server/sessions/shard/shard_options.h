#ifndef AAREN_SERVER_SESSIONS_SHARD_SHARD_OPTIONS_H_
#define AAREN_SERVER_SESSIONS_SHARD_SHARD_OPTIONS_H_

// The settings of a shard, and a stream's use of a shard. All limits are one shard's own, unless a comment says
// otherwise.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/time/time.h"
#include "server/machine/memory/memory_budget.h"
#include "server/operate/trace/tracer.h"
#include "server/sessions/watch/watched_sessions.h"

namespace aaren::shard {

// Things outside the shard. All outlive the shard, and any may be null.
struct ShardTies {
  memory::MemoryBudget* budget = nullptr;     // for the cost of sessions, shared by all shards; null: no limit
  trace::Tracer* tracer = nullptr;            // the shard's own; null: no message is traced
  watch::WatchedSessions* watched = nullptr;  // for all shards; null: no session is watched
};

struct ShardOptions {
  size_t capacity_rows = 1 << 20;                                  // for each model
  size_t max_resident_bytes = std::numeric_limits<size_t>::max();  // rows beyond go to the store, the oldest first
  uint32_t max_channels = 64;
  uint32_t max_tokens_per_item = 4096;
  uint64_t max_in_flight_tokens = 65536;  // next_seq - delivered_seq, for a client with delivered_seq
  uint64_t max_undurable_tokens = 65536;  // a session's tokens not in the store; beyond, the stream waits for the store
  uint32_t max_sessions_per_stream = 1 << 20;
  size_t max_queued_bytes = 8 << 20;  // waiting tokens; streams share the room (server/sessions/queue/queue_room.h)
  size_t max_pending_opens = 1024;    // Opens and deleting Closes under way; streams share the number
  size_t max_step_tokens = 4096;      // times channels, in a slice; a slice takes at least one token
  absl::Duration slice = absl::Milliseconds(1);       // the wanted length of a slice
  absl::Duration save_interval = absl::Seconds(1);    // zero: nothing is saved
  bool saves_outlast_server = true;                   // otherwise no session may have EVERY_TOKEN
  absl::Duration session_ttl = absl::ZeroDuration();  // zero: sessions are kept for ever
  std::string advertise = {};  // HOST:PORT for clients of other servers; empty: no address is told
  ShardTies ties = {};
};

// A stream's use of the shard.
struct StreamUse {
  size_t sessions = 0;      // open, or about to open
  size_t queued_bytes = 0;  // waiting tokens and tokens set aside
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_SHARD_OPTIONS_H_
