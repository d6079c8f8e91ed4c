#ifndef AAREN_SERVER_SESSION_SHARD_H_
#define AAREN_SERVER_SESSION_SHARD_H_

// A SessionShard is the logic of one core: the sessions that were last opened there, their rows, and the tokens waiting
// to be stepped.
//
// Life of a token: Tokens() checks it (width, times, seq) and puts it in the shard's queue; Step() takes everything
// that waits through the engine in one call per model and answers each peer. Batches form by load: whatever arrived
// since the last Step is the next batch. Nothing is folded unless the whole item is valid.
//
// A session belongs to the shard of its latest Open. Opens, unary calls and rows travel between shards as mailbox
// messages through the Registrar, which knows who owns what and talks to the store.
//
// Threading: every method is called on the shard's own thread, except mailbox() whose Post is open to all. Any of them
// may answer any connected peer; a peer's methods must not call the shard back.
//
// Lifetime: a registrar that shards were added to is destroyed before them; after that a shard is only destroyed.

#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "server/session/mailbox.h"
#include "server/session/model_table.h"
#include "server/session/peer.h"
#include "server/session/shard_counters.h"

namespace aaren {

class Registrar;

struct ShardOptions {
  size_t capacity_rows = 1 << 20;  // of this shard's slab, per model
  uint32_t max_channels = 64;
  uint32_t max_tokens_per_item = 4096;
  uint64_t max_in_flight_tokens = 65536;  // next_seq - delivered_seq, and tokens waiting per session
  uint32_t max_sessions_per_stream = 1 << 20;
  size_t max_queued_tokens = 1 << 18;                      // of the whole shard, times channels; beyond it Full()
  size_t max_pending_opens = 1024;                         // likewise
  size_t max_step_tokens = 8192;                           // times channels; taken by one Step(), or one longer item
  absl::Duration save_interval = absl::Milliseconds(500);  // zero: nothing is saved
  absl::Duration session_ttl = absl::ZeroDuration();       // zero: sessions are kept for ever
};

class SessionShard {
 public:
  // `models` outlives this; `registrar` outlives all use of this. `index` counts from 0, in order of AddShard.
  SessionShard(int index, ShardOptions options, const ModelTable& models, Registrar& registrar);
  ~SessionShard();

  // Each answers through `peer`, at once or from a later DrainMailbox() or Step().
  void Open(Peer& peer, Handle handle, OpenRequest request);
  void Tokens(Peer& peer, const TokensView& tokens);
  void Close(Peer& peer, Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq);

  // The stream is gone: its sessions stay, detached. `peer` is never called again.
  void Disconnect(Peer& peer);

  // Handles messages from other threads. True if there were any.
  bool DrainMailbox();

  // Steps what waits, oldest first, up to max_step_tokens. Returns the number of tokens taken; as long as it is not
  // zero more may wait, so do not sleep.
  size_t Step();

  // Starts the saves that are due and expires sessions. Call it every few milliseconds.
  void Tick(absl::Time now);

  // Too many tokens wait, or too many Opens are under way: stop reading streams until this is false again.
  bool Full() const;

  // True while Opens, saves or other work of this shard's own is under way at the registrar.
  bool Busy() const;

  // Saves every session with unsaved tokens; Busy() until the store has them (keep calling DrainMailbox() and Tick()).
  // For shutdown.
  void SaveAll();

  Mailbox& mailbox();
  const ShardCounters& counters() const;  // readable from any thread

 private:
  friend class Registrar;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_SHARD_H_
